import type { Pair, Side } from '../../contract/pair.ts'
import { parseJson } from '../../contract/json.ts'
import type { Head } from '../store/memories.ts'
import type { PairRow } from '../store/pairs.ts'
import { iso, RESTORABLE_MS } from '../store/row-view.ts'
import { lockOf } from '../write/state.ts'

/** A row as one side of a pair. One of high sensitivity is shown without its value. */
export function sideView(head: Head, now: Date): Side {
  const withheld = head.value === null || head.redacted || head.sensitivity === 'high'
  return {
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    namespace: head.namespace,
    agent: head.agent,
    user_id: head.user_id,
    session_id: head.session_id,
    memory_type: head.memory_type as Side['memory_type'],
    value: withheld ? null : (parseJson(head.value ?? 'null') as Side['value']),
    status: head.status as Side['status'],
    version: head.version,
    version_text: head.version.toString(),
    content_sha256: head.content_sha256,
    created_at: head.created_at.toISOString(),
    valid_at: iso(head.valid_at),
    actor: head.actor,
    source_class: head.source_class as Side['source_class'],
    tags: head.tags,
    pinned: head.pinned,
    locked: lockOf(head, now) !== null,
  }
}

export function pairView(pair: PairRow, row: Head, peer: Head, now: Date): Pair {
  const settled = pair.state === 'settled'
  return {
    pair_id: pair.pair_id,
    kind: pair.kind as Pair['kind'],
    state: pair.state as Pair['state'],
    row: sideView(row, now),
    peer: sideView(peer, now),
    similarity: pair.similarity,
    relation: pair.relation,
    reason: pair.reason,
    confidence: pair.confidence,
    unsure: pair.unsure,
    origin: pair.origin as Pair['origin'],
    at: pair.at.toISOString(),
    resolution: settled ? pair.resolution : null,
    settled_by: settled ? pair.settled_by : null,
    settled_at: settled ? iso(pair.settled_at) : null,
    undo_until: settled && pair.settled_at !== null ? new Date(pair.settled_at.getTime() + RESTORABLE_MS).toISOString() : null,
  }
}
