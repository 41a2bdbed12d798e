function bigramsOf(text: string): Map<string, number> {
  const bigrams = new Map<string, number>()
  for (let i = 0; i < text.length - 1; i++) {
    const pair = text.slice(i, i + 2)
    bigrams.set(pair, (bigrams.get(pair) ?? 0) + 1)
  }
  return bigrams
}

const MAX_BIGRAM_TEXT = 2000

/** Dice overlap of character pairs, 0 to 1. */
export function bigramOverlap(a: string, b: string): number {
  const [x, y] = [bigramsOf(a.slice(0, MAX_BIGRAM_TEXT)), bigramsOf(b.slice(0, MAX_BIGRAM_TEXT))]
  let shared = 0
  let total = 0
  for (const count of x.values()) total += count
  for (const [pair, count] of y) {
    total += count
    shared += Math.min(count, x.get(pair) ?? 0)
  }
  return total ? (2 * shared) / total : 0
}
