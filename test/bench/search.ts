import { hammingScan } from '../../shared/domain/search/bits.ts'
import { claimAt, median, openBenchEngine, percentile, type BenchEngine } from './lib/engine.ts'
import { openFts } from './lib/fts.ts'

const FACTS = Number(process.env['LOOM_BENCH_FACTS'] ?? 100_000)
/** The engine remembers the vectors of 512 texts: fewer questions than that are embedded once. */
const SAMPLES = 300
const WARM_UP = 20
const QUESTIONS = [
  (n: number) => `who owns the ${claimAt(n).tags[0]} service`,
  (n: number) => `which port does ${claimAt(n).memory_key.split('/').slice(0, 2).join(' ')} listen on`,
  (n: number) => `how long are backups of the ${claimAt(n).tags[0]} database kept`,
  (n: number) => claimAt(n).value.split(' ').slice(1, 7).join(' '),
  (n: number) => `when was the ${claimAt(n).tags[0]} gateway moved to another region`,
]

async function timed(run: () => unknown): Promise<number> {
  const from = performance.now()
  await run()
  return performance.now() - from
}

/** The least that any search by meaning does: the distance of one code to as many as there are facts. */
async function bareLoop(dim: number): Promise<number[]> {
  const words = dim / 32
  const numbers = Uint32Array.from({ length: (FACTS + 1) * words }, (_, at) => Math.imul(at + 1, 0x9e3779b1) ^ (at << 7))
  const [codes, code, out] = [numbers.subarray(words), numbers.subarray(0, words), new Uint16Array(FACTS)]
  const times: number[] = []
  for (let at = 0; at < 50; at++) times.push(await timed(() => hammingScan(code, codes, FACTS, out)))
  return times.slice(10)
}

/** Milliseconds from the start of an engine until its index holds every row, which a call that needs all of them waits for. */
async function coldStart(loom: BenchEngine): Promise<number> {
  const wait = async (): Promise<void> => {
    // No call waits longer than 20 seconds.
    await loom.call('conflicts.list', { limit: 1 }).catch(() => {})
    if (!(await loom.call('engine.info', {})).index.ready) await wait()
  }
  return loom.startedIn + (await timed(wait))
}

/**
 * memory.search over 100,000 facts in one scope: with the embedding of the question beside the bare embed, and without
 * it beside SQLite FTS5 over the same rows and the bare loop over the codes, in one run.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const loom = await openBenchEngine(FACTS)
  const cold = await coldStart(loom)
  const fts = await openFts(await loom.texts())
  const times = { embed: [] as number[], whole: [] as number[], search: [] as number[], fts: [] as number[] }
  let empty = 0
  const questions = Array.from(
    { length: SAMPLES + WARM_UP },
    (_, at) => `${QUESTIONS[at % QUESTIONS.length]?.((at * 7919) % FACTS) ?? ''} ${at}`,
  )
  for (const [at, query] of questions.entries()) {
    // The bare embed gets another text of the same length: the engine remembers vectors of texts.
    const embed = await timed(() => loom.embedder.embed([`${query} ?`]))
    const whole = await timed(() => loom.call('memory.search', { query }))
    if (at < WARM_UP) continue
    times.embed.push(embed)
    times.whole.push(whole)
  }
  for (const query of questions.slice(WARM_UP)) {
    times.search.push(await timed(async () => (empty += (await loom.call('memory.search', { query })).results.length === 0 ? 1 : 0)))
    times.fts.push(await timed(() => fts?.search(query)))
  }
  const { index } = await loom.call('engine.info', {})
  const rss = process.memoryUsage.rss() / 2 ** 20
  const codes = await bareLoop(loom.embedder.dim)
  fts?.close()
  await loom.close()
  const over = times.whole.map((whole, at) => whole - (times.embed[at] ?? 0))
  const result = {
    facts: FACTS,
    samples: SAMPLES,
    search_p50_ms: median(times.search),
    search_p95_ms: percentile(times.search, 0.95),
    target_p50_ms: 5,
    target_p95_ms: 10,
    sqlite_fts5_p50_ms: fts ? median(times.fts) : null,
    sqlite_fts5_p95_ms: fts ? percentile(times.fts, 0.95) : null,
    bare_loop_p50_ms: median(codes),
    bare_loop_p95_ms: percentile(codes, 0.95),
    bare_embed_p50_ms: median(times.embed),
    with_embed_p50_ms: median(times.whole),
    with_embed_p95_ms: percentile(times.whole, 0.95),
    over_embed_p50_ms: median(over),
    over_embed_p95_ms: percentile(over, 0.95),
    cold_start_ms: cold,
    target_cold_start_ms: 1500,
    index_bytes_per_fact: index.bytes / FACTS,
    target_bytes_per_fact: 400,
    without_results: empty,
    rss_mb: rss,
  }
  process.stderr.write(
    `memory.search over ${FACTS}, embedding aside: p50 ${result.search_p50_ms.toFixed(1)} (target 5), p95 ${result.search_p95_ms.toFixed(1)} ms (target 10)\n`,
  )
  return result
}
