import type { Selectable } from 'kysely'
import type { Row } from '../../contract/row.ts'
import { parseJson } from '../../contract/json.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { ShelfTables } from '../db/shelf-tables.ts'
import type { Head } from './memories.ts'
import { provenanceOf } from './provenance.ts'
import { usageView } from './row-view.ts'

/** Shared copies of rows, one for each key of a namespace. Triggers of the database take them away with their rows. */
export type Shared = Selectable<ShelfTables['memory_shelf']>

type Place = Pick<Shared, 'org' | 'namespace' | 'memory_key'>

export async function sharedAt(db: Queryable, { org, namespace, memory_key }: Place): Promise<Shared | null> {
  const row = await db
    .selectFrom('memory_shelf')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('memory_key', '=', memory_key)
    .executeTakeFirst()
  return row ?? null
}

/** Lays a copy of a row on a shelf, in place of the one that lies there. */
export async function putOnShelf(
  tx: Tx,
  head: Head,
  on: { readonly namespace: string; readonly note: string; readonly actor: string; readonly at: Date },
): Promise<void> {
  const copy = {
    from_namespace: head.namespace,
    agent: head.agent,
    user_id: head.user_id,
    session_id: head.session_id,
    memory_id: head.memory_id,
    version: head.version,
    value: head.value ?? 'null',
    content_sha256: head.content_sha256,
    memory_type: head.memory_type,
    sensitivity: head.sensitivity,
    tags: head.tags,
    entities: head.entities,
    note: on.note,
    actor: on.actor,
    at: on.at,
    erasure_seq: provenanceOf(tx)?.erasureSeq ?? head.erasure_seq,
  }
  await tx
    .insertInto('memory_shelf')
    .values({ org: head.org, namespace: on.namespace, memory_key: head.memory_key, ...copy })
    .onConflict((conflict) => conflict.columns(['org', 'namespace', 'memory_key']).doUpdateSet(copy))
    .execute()
}

export async function takeOffShelf(tx: Tx, { org, namespace, memory_key }: Place): Promise<void> {
  await tx
    .deleteFrom('memory_shelf')
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('memory_key', '=', memory_key)
    .execute()
}

/** A shared copy as memory.get answers it: what it says, and nothing of whose row it is a copy. */
export function sharedView(shared: Shared): Row {
  const at = shared.at.toISOString()
  return {
    org: shared.org,
    namespace: shared.namespace,
    agent: shared.agent,
    user_id: '-',
    session_id: '-',
    memory_key: shared.memory_key,
    memory_id: shared.memory_id,
    value: parseJson(shared.value) as Row['value'],
    memory_type: shared.memory_type as Row['memory_type'],
    status: 'active',
    conflict_verdict: '',
    sensitivity: shared.sensitivity as Row['sensitivity'],
    version: shared.version,
    version_text: shared.version.toString(),
    content_sha256: shared.content_sha256,
    tags: shared.tags,
    entities: shared.entities,
    files: [],
    categories: [],
    relations: [],
    confidence: 1,
    pinned: false,
    lock: null,
    char_limit: null,
    chunks: 0,
    created_at: at,
    updated_at: at,
    server_recorded_at: null,
    valid_at: null,
    valid_to: null,
    temporal_anchor: null,
    temporal_confidence: null,
    expires_at: null,
    on_expire: 'tombstone',
    expire_reason: '',
    actor: shared.actor,
    source_class: 'derived',
    source_trace: '',
    source_resource_id: '',
    run_id: '',
    verified: false,
    verified_by: '',
    verified_at: null,
    superseded_by: '',
    superseded_at: null,
    duplicate_of: '',
    canonical_key: '',
    resolved_from: '',
    derived_from: [],
    tombstoned_at: null,
    restorable_until: null,
    redacted: false,
    provisional: false,
    source: 'shared',
    ...usageView(undefined),
    recall_breakdown: null,
  }
}
