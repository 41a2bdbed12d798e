import type { Citation } from '../../../contract/ops/memory/ask.ts'
import type { ConflictNote } from '../../../contract/search.ts'
import type { Head } from '../../store/memories.ts'
import { iso } from '../../store/row-view.ts'
import type { StandingConflict } from '../../store/standing-conflicts.ts'

/** A sentence and the row in which it stands. */
export interface Quote {
  readonly head: Head
  readonly text: string
}

export function citationOf({ head, text }: Quote, n: number): Citation {
  return {
    n,
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    version: head.version,
    version_text: head.version.toString(),
    quote: text,
    valid_at: iso(head.valid_at ?? head.temporal_anchor),
    created_at: head.created_at.toISOString(),
  }
}

const since = ({ valid_at, created_at }: Head): number => (valid_at ?? created_at).getTime()

/** Quotes with the two sides of each conflict beside each other, the newer first, where the better of them stood. */
export function besideEachOther<Q extends Quote>(quotes: readonly Q[], conflicts: readonly StandingConflict[]): Q[] {
  const ordered = [...quotes]
  for (const { rowId, peerId } of conflicts) {
    const [a, b] = [rowId, peerId].map((id) => ordered.findIndex(({ head }) => head.memory_id === id))
    if (a === undefined || b === undefined || a < 0 || b < 0) continue
    const at = Math.min(a, b)
    const pair = [ordered[a]!, ordered[b]!].toSorted((one, other) => since(other.head) - since(one.head))
    const rest = ordered.filter((quote) => !pair.includes(quote))
    ordered.splice(0, ordered.length, ...rest.slice(0, at), ...pair, ...rest.slice(at))
  }
  return ordered
}

/** The conflicts of which both sides are cited. */
export function conflictNotes(heads: readonly Head[], conflicts: readonly StandingConflict[]): ConflictNote[] {
  const keys = new Map(heads.map((head) => [head.memory_id, head.memory_key]))
  return conflicts.flatMap(({ rowId, peerId, reason }) => {
    const [row, peer] = [keys.get(rowId), keys.get(peerId)]
    return row === undefined || peer === undefined ? [] : [{ memory_keys: [row, peer], note: reason }]
  })
}
