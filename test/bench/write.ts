import { indexedText } from '../../shared/domain/claim/excerpt.ts'
import { benchBulk } from './lib/bulk.ts'
import { openBenchEngine, openBareStore, claimAt, median, percentile, strangeClaims } from './lib/engine.ts'

const FACTS = Number(process.env.LOOM_BENCH_FACTS ?? 10_000)
const SAMPLES = 200

/**
 * memory.set with embedding and verdict into 10,000 facts, beside the bare embed of the same text and the bare durable
 * insert of the same run, taken in turns so that a noisy machine is noisy for all three.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const loom = await openBenchEngine(FACTS)
  await loom.runDueJobs()
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
    const other = strange[(at * 13) % strange.length] ?? claim
    const into = at < 20 ? { embed: [], insert: [], set: [], near: [] } : times
    await timed(into.embed, () => loom.embedder.embed([indexedText(other.value, other.memory_key)]))
    await timed(into.insert, () => bare.insert(claim))
    await timed(into.set, () => loom.call('memory.set', other))
    await timed(into.near, () => loom.call('memory.set', claim))
  }
  const rss = process.memoryUsage().rss
  // What a write leaves to the background: the vector of its key.
  const left = performance.now()
  await loom.runDueJobs()
  const keyVectorMs = (performance.now() - left) / (2 * (SAMPLES + 20))
  const unwritten = Array.from(
    { length: strange.length - SAMPLES - 20 },
    (_, at) => strange[((at + SAMPLES + 20) * 13) % strange.length] ?? claimAt(at),
  )
  const bulk = await benchBulk(loom, unwritten, 60)
  const alike = Array.from({ length: 240 }, (_, at) => claimAt(FACTS + SAMPLES + 1000 + at))
  const bulkNear = await benchBulk(loom, alike, 60)
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
    key_vector_after_ms: keyVectorMs,
    rss_mb: rss / 2 ** 20,
    bulk_set: bulk,
    bulk_set_near_peers: bulkNear,
  }
  process.stderr.write(
    `memory.set p50 ${set.toFixed(1)} ms; bare embed ${embed.toFixed(1)} + bare durable insert ${insert.toFixed(1)} ms; ratio ${result.ratio.toFixed(2)} (target 2); with near peers ${near.toFixed(1)} ms\n`,
  )
  return result
}
