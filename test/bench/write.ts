import { benchBulk } from './lib/bulk.ts'
import { openBenchEngine, openBareStore, claimAt, median, percentile, strangeClaims } from './lib/engine.ts'

const FACTS = Number(process.env.LOOM_BENCH_FACTS ?? 10_000)
const SAMPLES = 200

/**
 * memory.set with embedding and verdict into 10,000 facts, beside the bare embed and the bare durable insert of the same
 * run, taken in turns so that a noisy machine is noisy for all three.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const loom = await openBenchEngine(FACTS)
  const bare = await openBareStore()
  const strange = await strangeClaims()
  const times = { embed: [] as number[], insert: [] as number[], set: [] as number[], near: [] as number[] }
  const timed = async (into: number[], work: () => Promise<unknown>): Promise<void> => {
    const from = performance.now()
    await work()
    into.push(performance.now() - from)
  }
  for (let at = 0; at < SAMPLES + 20; at++) {
    const claim = claimAt(FACTS + at)
    const into = at < 20 ? { embed: [], insert: [], set: [], near: [] } : times
    await timed(into.embed, () => loom.embedder.embed([`${strange[(at * 13) % strange.length]?.value} (bare)`]))
    await timed(into.insert, () => bare.insert(claim))
    await timed(into.set, () => loom.call('memory.set', strange[(at * 13) % strange.length] ?? claim))
    await timed(into.near, () => loom.call('memory.set', claim))
  }
  const rss = process.memoryUsage().rss
  const bulk = await benchBulk(loom, FACTS + SAMPLES + 1000)
  await bare.close()
  await loom.close()
  const [embed, insert, set, near] = [median(times.embed), median(times.insert), median(times.set), median(times.near)]
  const result = {
    facts: FACTS,
    samples: SAMPLES,
    bare_embed_p50_ms: embed,
    bare_durable_insert_p50_ms: insert,
    set_p50_ms: set,
    set_p95_ms: percentile(times.set, 0.95),
    ratio: set / (embed + insert),
    near_peers_p50_ms: near,
    near_peers_more_ms: near - set,
    target_ratio: 2,
    rss_mb: rss / 2 ** 20,
    ...bulk,
  }
  process.stderr.write(
    `memory.set p50 ${set.toFixed(1)} ms; bare embed ${embed.toFixed(1)} + bare durable insert ${insert.toFixed(1)} ms; ratio ${result.ratio.toFixed(2)} (target 2); with near peers ${near.toFixed(1)} ms\n`,
  )
  return result
}
