import { claimAt, median, type BenchEngine } from './engine.ts'

const BATCH = 100
const ROUNDS = 6

/** Claims a second of memory.bulk_set, verdicts included, beside texts a second of the embedder alone, in turns. */
export async function benchBulk(loom: BenchEngine, from: number): Promise<Record<string, number>> {
  const rates = { embedder: [] as number[], bulk: [] as number[] }
  for (let round = 0; round <= ROUNDS; round++) {
    const claims = Array.from({ length: BATCH }, (_, at) => claimAt(from + round * BATCH + at))
    const singles = performance.now()
    for (const claim of claims) await loom.embedder.embed([`${claim.value} (bare)`])
    const bulk = performance.now()
    await loom.call('memory.bulk_set', { entries: claims })
    const end = performance.now()
    // The first round warms both.
    if (round === 0) continue
    rates.embedder.push((BATCH * 1000) / (bulk - singles))
    rates.bulk.push((BATCH * 1000) / (end - bulk))
  }
  const [embedder, bulk] = [median(rates.embedder), median(rates.bulk)]
  return { bulk_entries_per_s: bulk, embedder_texts_per_s: embedder, bulk_ratio: bulk / embedder, bulk_target_ratio: 0.6 }
}
