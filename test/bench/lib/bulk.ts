import { indexedText } from '../../../shared/domain/claim/excerpt.ts'
import { median, type BenchEngine } from './engine.ts'

interface Claim {
  readonly memory_key: string
  readonly value: string
}

/**
 * Claims a second of memory.bulk_set, verdicts included, as a share of the texts a second that the embedder alone makes
 * of the same claims, one by one; in turns, and the first turn warms both. The vectors of the keys, which a background
 * pass makes after the call, are in neither.
 */
export async function benchBulk(loom: BenchEngine, claims: readonly Claim[], batch: number) {
  const rates = { embedder: [] as number[], bulk: [] as number[] }
  for (let from = 0; from + batch <= claims.length; from += batch) {
    const entries = claims.slice(from, from + batch)
    const singles = performance.now()
    for (const claim of entries) await loom.embedder.embed([indexedText(claim.value, claim.memory_key)])
    const bulk = performance.now()
    await loom.call('memory.bulk_set', { entries: entries.map((claim) => ({ ...claim })) })
    const end = performance.now()
    if (from === 0) continue
    rates.embedder.push((batch * 1000) / (bulk - singles))
    rates.bulk.push((batch * 1000) / (end - bulk))
  }
  const [embedder, bulk] = [median(rates.embedder), median(rates.bulk)]
  return { entries_per_s: bulk, embedder_texts_per_s: embedder, ratio: bulk / embedder, target_ratio: 0.6 }
}
