/** Constants of the ranker: a hit is near by meaning from here on (cosine), ... */
export const NEAR_SIMILARITY = 0.4
/** ... or by words, when the row has this idf-weighted share of the query's words. */
export const NEAR_COVERAGE = 0.5

/** Whether a hit answers the query, or only is the least far. */
export function isNear(similarity: number, coverage: number): boolean {
  return similarity >= NEAR_SIMILARITY || coverage >= NEAR_COVERAGE
}
