import { sql, type Selectable } from 'kysely'
import type { Row } from '../../contract/row.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { ShelfTables } from '../db/shelf-tables.ts'
import type { Head } from './memories.ts'
import { provenanceOf } from './provenance.ts'
import { rowView } from './row-view.ts'
import { sharedHead } from './shelf-heads.ts'

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

/** Of these namespaces those with a copy on the shelf, in their order. */
export async function namespacesWithCopies(db: Queryable, org: string, namespaces: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{
    namespace: string
  }>`SELECT n.namespace FROM unnest(${[...namespaces]}::text[]) WITH ORDINALITY AS n(namespace, at)
    WHERE EXISTS (SELECT 1 FROM loom.memory_shelf s WHERE s.org = ${org} AND s.namespace = n.namespace) ORDER BY n.at`.execute(db)
  return rows.map((row) => row.namespace)
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
  return { ...rowView(sharedHead({ ...shared, unattested: false }), undefined, [], shared.at), source: 'shared' }
}
