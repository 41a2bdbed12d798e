import { indexedText } from '../../shared/domain/claim/excerpt.ts'
import { benchBulk } from './lib/bulk.ts'
import { cosine } from '../../shared/engine/write/cosine.ts'
import { openBenchEngine, openBareStore, claimAt, distinctTexts, median, percentile, type BenchEngine } from './lib/engine.ts'

const FACTS = Number(process.env.LOOM_BENCH_FACTS ?? 10_000)
const SAMPLES = 200
const WARMING = 20
/** Claims of one bulk write, and such writes beside the one that warms. */
const BATCH = 60
const BATCHES = 3
/** Nearness from which the judge looks at two claims: the default of `conflict_threshold`. */
const NEAR = 0.42
/** Texts that far ones are chosen from, and facts that show every kind of the store's. */
const CHOSEN_FROM = 2600
const KINDS = 800

/** Claims by hand of which none is near another or a fact of the store: what "nothing near" means. */
async function farClaims({ embedder }: BenchEngine, count: number): Promise<{ memory_key: string; value: string }[]> {
  const met: Float32Array[] = []
  const claims: { memory_key: string; value: string }[] = []
  const vectorOf = async (claim: { memory_key: string; value: string }): Promise<Float32Array> => {
    const [vector] = await embedder.embed([indexedText(claim.value, claim.memory_key)])
    if (!vector) throw new Error('the embedder answered no vector')
    return vector
  }
  for (let at = 0; at < KINDS; at++) met.push(await vectorOf(claimAt(at)))
  for (const value of await distinctTexts(CHOSEN_FROM)) {
    const claim = { memory_key: `far/${claims.length}`, value }
    const vector = await vectorOf(claim)
    if (met.some((other) => cosine(vector, other) >= NEAR)) continue
    met.push(vector)
    if (claims.push(claim) === count) return claims
  }
  throw new Error(`only ${claims.length} claims are far from each other, and ${count} are needed`)
}

/**
 * memory.set with embedding and verdict into 10,000 facts, with nothing near and with near peers, beside the bare embed of the same text and the bare durable
 * insert of the same run, taken in turns so that a noisy machine is noisy for all three.
 */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const loom = await openBenchEngine(FACTS)
  await loom.runDueJobs()
  const bare = await openBareStore()
  const far = await farClaims(loom, SAMPLES + WARMING + BATCH * (1 + BATCHES))
  const times = { embed: [] as number[], insert: [] as number[], set: [] as number[], near: [] as number[] }
  const timed = async (into: number[], work: () => Promise<unknown>): Promise<void> => {
    const from = performance.now()
    await work()
    into.push(performance.now() - from)
  }
  for (let at = 0; at < SAMPLES + WARMING; at++) {
    const claim = claimAt(FACTS + at)
    const other = far[at] ?? claim
    const into = at < WARMING ? { embed: [], insert: [], set: [], near: [] } : times
    await timed(into.embed, () => loom.embedder.embed([indexedText(other.value, other.memory_key)]))
    await timed(into.insert, () => bare.insert(claim))
    await timed(into.set, () => loom.call('memory.set', other))
    await timed(into.near, () => loom.call('memory.set', claim))
  }
  const rss = process.memoryUsage().rss
  // What a write leaves to the background: the vector of its key.
  const left = performance.now()
  await loom.runDueJobs()
  const keyVectorMs = (performance.now() - left) / (2 * (SAMPLES + WARMING))
  const bulk = await benchBulk(loom, far.slice(SAMPLES + WARMING), BATCH)
  const alike = Array.from({ length: 4 * BATCH }, (_, at) => claimAt(FACTS + SAMPLES + 1000 + at))
  const bulkNear = await benchBulk(loom, alike, BATCH)
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
    target_ratio: 1.5,
    target_near_peers_more_ms: 25,
    key_vector_after_ms: keyVectorMs,
    rss_mb: rss / 2 ** 20,
    bulk_set: bulk,
    bulk_set_near_peers: bulkNear,
  }
  process.stderr.write(
    `memory.set p50 ${set.toFixed(1)} ms; bare embed ${embed.toFixed(1)} + bare durable insert ${insert.toFixed(1)} ms; ratio ${result.ratio.toFixed(2)} (target 1.5); with near peers ${near.toFixed(1)} ms\n`,
  )
  return result
}
