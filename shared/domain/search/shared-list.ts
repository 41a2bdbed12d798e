/** A result of one kind of thing, on a scale that all kinds share. */
export interface Scored {
  readonly kind: string
  readonly score: number
}

/**
 * The best of several kinds in one list of at most `limit`: each kind is there with its best while there is room, and
 * the rest by score. Equal scores stand in the order of the kinds.
 */
export function sharedList<T extends Scored>(kinds: readonly (readonly T[])[], limit: number): T[] {
  const all = kinds.flatMap((results, kind) => results.map((result, at) => ({ result, kind, at })))
  const better = (a: (typeof all)[number], b: (typeof all)[number]): number =>
    b.result.score - a.result.score || a.kind - b.kind || a.at - b.at
  const firsts = all.filter(({ at }) => at === 0).sort(better)
  const others = all.filter(({ at }) => at > 0).sort(better)
  return [...firsts, ...others]
    .slice(0, limit)
    .sort(better)
    .map(({ result }) => result)
}
