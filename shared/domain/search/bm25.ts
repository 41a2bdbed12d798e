/** Measured best on chat turns and kept for all: little length normalisation. */
export const K1 = 1.2
export const B = 0.3

/** Rarity of a term that `holding` of `total` documents have; positive even when all have it. */
export function idf(total: number, holding: number): number {
  return Math.log(1 + (total - holding + 0.5) / (holding + 0.5))
}

/** How much of a term's rarity a document earns: `frequency` may be fractional, `relativeLength` is length / average. */
export function saturation(frequency: number, relativeLength: number): number {
  return (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + B * relativeLength))
}
