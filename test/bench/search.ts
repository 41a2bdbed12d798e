import { claimAt, median, openBenchEngine, percentile } from './lib/engine.ts'
import { openFts } from './lib/fts.ts'

const FACTS = Number(process.env['LOOM_BENCH_FACTS'] ?? 10_000)
const SAMPLES = 300
const QUESTIONS = [
  (n: number) => `who owns the ${claimAt(n).tags[0]} service`,
  (n: number) => `which port does ${claimAt(n).memory_key.split('/').slice(0, 2).join(' ')} listen on`,
  (n: number) => `how long are backups of the ${claimAt(n).tags[0]} database kept`,
  (n: number) => claimAt(n).value.split(' ').slice(1, 7).join(' '),
  (n: number) => `when was the ${claimAt(n).tags[0]} gateway moved to another region`,
]

/**
 * memory.search over 10,000 facts, embedding included, beside the bare embed of the same questions and SQLite FTS5 over
 * the same rows in the same run.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const loom = await openBenchEngine(FACTS)
  const fts = await openFts(await loom.texts())
  const embed: number[] = []
  const search: number[] = []
  const over: number[] = []
  const plain: number[] = []
  let empty = 0
  for (let at = 0; at < SAMPLES + 20; at++) {
    const question = QUESTIONS[at % QUESTIONS.length]?.((at * 7919) % FACTS) ?? ''
    // The bare embed gets another text of the same length: the engine remembers vectors of texts.
    const embedFrom = performance.now()
    await loom.embedder.embed([`${question} ?`])
    const searchFrom = performance.now()
    const { results } = await loom.call('memory.search', { query: `${question} ${at}` })
    const done = performance.now()
    fts?.search(question)
    const ftsDone = performance.now()
    if (at < 20) continue
    plain.push(ftsDone - done)
    over.push(done - searchFrom - (searchFrom - embedFrom))
    embed.push(searchFrom - embedFrom)
    search.push(done - searchFrom)
    if (results.length === 0) empty++
  }
  const rss = process.memoryUsage().rss / 2 ** 20
  fts?.close()
  await loom.close()
  const result = {
    facts: FACTS,
    samples: SAMPLES,
    bare_embed_p50_ms: median(embed),
    search_p50_ms: median(search),
    search_p95_ms: percentile(search, 0.95),
    over_embed_p50_ms: median(over),
    over_embed_p95_ms: percentile(over, 0.95),
    target_over_embed_ms: 5,
    sqlite_fts5_p50_ms: fts ? median(plain) : null,
    sqlite_fts5_p95_ms: fts ? percentile(plain, 0.95) : null,
    without_results: empty,
    rss_mb: rss,
    target_rss_mb: 700,
  }
  process.stderr.write(
    `memory.search over ${FACTS}: p50 ${result.search_p50_ms.toFixed(1)}, p95 ${result.search_p95_ms.toFixed(1)} ms; bare embed ${result.bare_embed_p50_ms.toFixed(1)} ms; over it ${result.over_embed_p50_ms.toFixed(1)} (target 5)\n`,
  )
  return result
}
