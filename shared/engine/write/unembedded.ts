/** Rows that a write of this process left without a vector, which nothing waits for. */
export interface Unembedded {
  note(org: string, memoryId: string): void
  /** Takes up to so many rows of one org; empty when there are none. */
  take(limit: number): { readonly org: string; readonly memoryIds: readonly string[] }
  /** Whether the store is to be searched for rows that nobody noted. */
  isSweepDue(now: number): boolean
  /** The store is to be searched at the next look: its rows lack vectors of a model that is new. */
  sweepSoon(): void
  /** A search of the store found none. */
  swept(now: number): void
}

/** More than these are not kept: a sweep of the store finds them. */
const MOST_NOTED = 20_000

/** Empty at first, as a new process knows of no row: its first sweep finds what the one before it left. */
export function createUnembedded(sweepEveryMs: number): Unembedded {
  const noted = new Map<string, Set<string>>()
  let count = 0
  let sweptAt = -Infinity
  return {
    note(org, memoryId) {
      if (count >= MOST_NOTED) {
        sweptAt = -Infinity
        return
      }
      const ofOrg = noted.get(org) ?? new Set()
      noted.set(org, ofOrg)
      if (ofOrg.has(memoryId)) return
      ofOrg.add(memoryId)
      count += 1
    },
    take(limit) {
      const [next] = noted
      if (!next) return { org: '', memoryIds: [] }
      const [org, waiting] = next
      const memoryIds = [...waiting].slice(0, limit)
      for (const id of memoryIds) waiting.delete(id)
      count -= memoryIds.length
      if (waiting.size === 0) noted.delete(org)
      return { org, memoryIds }
    },
    isSweepDue: (now) => now - sweptAt >= sweepEveryMs,
    sweepSoon: () => void (sweptAt = -Infinity),
    swept: (now) => void (sweptAt = now),
  }
}
