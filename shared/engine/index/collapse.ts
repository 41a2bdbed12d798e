import type { IndexedDoc } from './types.ts'

interface Member {
  readonly canonicalId: string
  readonly version: bigint
}

/**
 * Which rows search shows as one with another (memory.dedup_collapse). A row counts only while it is the version that
 * was grouped: a later write of it takes it out by itself.
 */
export interface Collapses {
  put(memoryId: string, canonicalId: string, version: bigint): void
  remove(memoryId: string): void
  /** Id of the row that stands for this one, or null: it stands for itself. */
  canonicalOf(doc: Pick<IndexedDoc, 'memoryId' | 'version'>): string | null
  /** True for the canonical row of a group, as it was grouped. */
  isCanonical(doc: Pick<IndexedDoc, 'memoryId' | 'version'>): boolean
  readonly size: number
}

export function createCollapses(): Collapses {
  const members = new Map<string, Member>()
  const current = (doc: Pick<IndexedDoc, 'memoryId' | 'version'>): Member | null => {
    const member = members.get(doc.memoryId)
    return member?.version === doc.version ? member : null
  }
  return {
    put: (memoryId, canonicalId, version) => void members.set(memoryId, { canonicalId, version }),
    remove: (memoryId) => void members.delete(memoryId),
    canonicalOf(doc) {
      const member = members.size === 0 ? null : current(doc)
      return member && member.canonicalId !== doc.memoryId ? member.canonicalId : null
    },
    isCanonical: (doc) => current(doc)?.canonicalId === doc.memoryId,
    get size() {
      return members.size
    },
  }
}

/** True for a row that another hit stands for: one whose canonical row the same search may find. */
export function isStoodFor(
  doc: IndexedDoc,
  collapses: Collapses,
  get: (memoryId: string) => IndexedDoc | null,
  accepts: (doc: IndexedDoc) => boolean,
): boolean {
  const canonicalId = collapses.canonicalOf(doc)
  const canonical = canonicalId === null ? null : get(canonicalId)
  return canonical !== null && collapses.isCanonical(canonical) && accepts(canonical)
}
