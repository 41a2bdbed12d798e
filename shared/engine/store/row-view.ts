import type { Row } from '../../contract/row.ts'
import type { Lock } from '../../contract/common.ts'
import { parseJson } from '../../contract/json.ts'
import type { Selectable } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { UsageColumns } from '../db/tables.ts'
import { isVerified, lockOf } from '../write/state.ts'
import { attachedOf, NOTHING_ATTACHED, type Attached } from './attached.ts'
import { triplesOf, type Triple } from './attachments.ts'
import type { Head } from './memories.ts'

/** How long a deleted key can be restored. */
export const RESTORABLE_MS = 14 * 24 * 3600 * 1000

export const iso = (at: Date | null): string | null => at?.toISOString() ?? null

/** Null too for a tombstone without a value: moved away, or scrubbed. */
export function restorableUntil(head: Head): Date | null {
  return head.status === 'tombstoned' && head.tombstoned_at !== null && head.value !== null
    ? new Date(head.tombstoned_at.getTime() + RESTORABLE_MS)
    : null
}

/** The lock in force, as rows show it. */
export function lockView(head: Head, now: Date): Lock | null {
  const lock = lockOf(head, now)
  if (!lock) return null
  return {
    mode: lock.mode,
    reason: head.lock_reason,
    locked_by: head.locked_by,
    until: iso(head.lock_until),
    actor: head.lock_actor,
    at: (head.locked_at ?? head.updated_at).toISOString(),
  }
}

type Usage = Selectable<UsageColumns>

export async function usageOf(db: Queryable, org: string, memoryIds: readonly string[]): Promise<Map<string, Usage>> {
  if (memoryIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('memory_usage')
    .selectAll()
    .where('org', '=', org)
    .where('memory_id', 'in', [...memoryIds])
    .execute()
  return new Map(rows.map((row) => [row.memory_id, row]))
}

export function usageView(usage: Usage | undefined) {
  return {
    reinforcement_count: Number(usage?.reinforcement_count ?? 0n),
    recall_count: Number(usage?.recall_count ?? 0n),
    served_count: Number(usage?.served_count ?? 0n),
    used_count: Number(usage?.used_count ?? 0n),
    used_cited_count: Number(usage?.used_cited_count ?? 0n),
    acted_count: Number(usage?.acted_count ?? 0n),
    harm_count: Number(usage?.harm_count ?? 0n),
    evidence_count: Number(usage?.evidence_count ?? 0n),
    last_recalled_at: iso(usage?.last_recalled_at ?? null),
  }
}

/** A head as memory.get answers it. */
export function rowView(
  head: Head,
  usage: Usage | undefined,
  triples: readonly Triple[],
  now: Date,
  attached: Attached = NOTHING_ATTACHED,
): Row {
  const verified = isVerified(head)
  return {
    org: head.org,
    namespace: head.namespace,
    agent: head.agent,
    user_id: head.user_id,
    session_id: head.session_id,
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    value: head.value === null || head.redacted ? null : (parseJson(head.value) as Row['value']),
    memory_type: head.memory_type as Row['memory_type'],
    status: head.status as Row['status'],
    conflict_verdict: head.conflict_verdict as Row['conflict_verdict'],
    sensitivity: head.sensitivity as Row['sensitivity'],
    version: head.version,
    version_text: head.version.toString(),
    content_sha256: head.content_sha256,
    tags: head.tags,
    entities: head.entities,
    files: head.files,
    categories: [...attached.categories],
    relations: triples.map(([subject, predicate, object]) => ({ subject, predicate, object })),
    confidence: head.confidence,
    pinned: head.pinned,
    lock: lockView(head, now),
    char_limit: head.char_limit,
    chunks: head.chunks,
    created_at: head.created_at.toISOString(),
    updated_at: head.updated_at.toISOString(),
    server_recorded_at: iso(head.server_recorded_at),
    valid_at: iso(head.valid_at),
    valid_to: iso(head.valid_to),
    temporal_anchor: iso(head.temporal_anchor),
    temporal_confidence: head.temporal_confidence,
    expires_at: iso(head.expires_at),
    on_expire: head.on_expire as Row['on_expire'],
    expire_reason: head.expire_reason,
    actor: head.actor,
    source_class: head.source_class as Row['source_class'],
    source_trace: head.source_trace,
    source_resource_id: head.source_resource_id,
    run_id: head.run_id,
    verified,
    verified_by: verified ? head.verified_by : '',
    verified_at: verified ? iso(head.verified_at) : null,
    superseded_by: head.superseded_by,
    superseded_at: iso(head.superseded_at),
    duplicate_of: head.duplicate_of,
    canonical_key: head.canonical_key,
    resolved_from: '',
    derived_from: [...attached.derivedFrom],
    tombstoned_at: iso(head.tombstoned_at),
    restorable_until: iso(restorableUntil(head)),
    redacted: head.redacted,
    provisional: head.provisional,
    source: 'row',
    ...usageView(usage),
    recall_breakdown: null,
  }
}

/** How often each operation served a row. */
export async function servedByOf(db: Queryable, { org, memory_id: id }: Head): Promise<Record<string, number>> {
  return ((await usageOf(db, org, [id])).get(id)?.served_by ?? {}) as Record<string, number>
}

/** A head with its counters and triples, as memory.get answers it. */
export async function readRow(db: Queryable, head: Head, now: Date): Promise<Row> {
  const [usage, triples] = [await usageOf(db, head.org, [head.memory_id]), await triplesOf(db, head.org, head.memory_id)]
  const attached = await attachedOf(db, head.org, [head.memory_id])
  return rowView(head, usage.get(head.memory_id), triples, now, attached.get(head.memory_id))
}
