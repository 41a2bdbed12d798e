import type { ReadContext } from '../../handler.ts'
import type { SearchHit } from '../../index/types.ts'
import { headsById, type Head } from '../../store/memories.ts'
import { standingConflicts, type StandingConflict } from '../../store/standing-conflicts.ts'
import { isVerified } from '../../write/state.ts'
import { isInScope, type Recall, type Recalled } from '../recall.ts'

/** A row that an answer may be made of; `hit` is null for one that is here only as the other side of a conflict. */
export interface Source {
  readonly head: Head
  readonly hit: SearchHit | null
}

export interface Sources {
  readonly sources: readonly Source[]
  /** Between two of the sources. */
  readonly conflicts: readonly StandingConflict[]
  readonly externalDropped: number
  readonly supersededDropped: number
}

/** External rows that nobody vouched for are shown by a search, and made no answer of (PRV008). */
export function isUnattested(head: Head): boolean {
  return head.source_class === 'external' && !isVerified(head)
}

/**
 * The near hits that an answer may rest on, and after them the rows that stand against one of them: what is contested
 * is never told by one side alone. A superseded row goes where its successor is here too.
 */
export async function sourcesOf(recalled: Recalled, recall: Recall, context: ReadContext): Promise<Sources> {
  const near = recalled.page.flatMap((hit): Source[] => {
    const head = recalled.heads.get(hit.memoryId)
    return hit.near && head !== undefined && head.sensitivity !== 'high' ? [{ head, hit }] : []
  })
  const attested = near.filter(({ head }) => !isUnattested(head))
  const ids = new Set(attested.map(({ head }) => head.memory_id))
  const standing = attested.filter(({ head }) => head.status !== 'superseded' || !ids.has(head.superseded_by))
  const counts = { externalDropped: near.length - attested.length, supersededDropped: attested.length - standing.length }
  if (recall.past) return { sources: standing, conflicts: [], ...counts }
  const own = standing.map(({ head }) => head.memory_id)
  const conflicts = await standingConflicts(context.db, context.identity.org, own)
  const known = new Set(own)
  const missing = conflicts.flatMap(({ rowId, peerId }) => [rowId, peerId]).filter((id) => !known.has(id))
  const heads = await headsById(context.db, context.identity.org, [...new Set(missing)])
  const peers = [...heads.values()]
    .filter((head) => isInScope(head, recall.scope) && !isUnattested(head))
    .sort((a, b) => (a.memory_id < b.memory_id ? -1 : 1))
  for (const { memory_id: id } of peers) known.add(id)
  return {
    sources: [...standing, ...peers.map((head) => ({ head, hit: null }))],
    conflicts: conflicts.filter(({ rowId, peerId }) => known.has(rowId) && known.has(peerId)),
    ...counts,
  }
}
