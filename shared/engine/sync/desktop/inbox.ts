import { textOf } from './rows.ts'
import { sql } from 'kysely'
import { v7 } from 'uuid'
import { parseJson, stringifyJson } from '../../../contract/json.ts'
import type { InboxChange, InboxChoice, InboxItem } from '../../../contract/ops/sync/inbox.ts'
import type { Queryable, Tx } from '../../db/database.ts'

export interface InboxRow {
  readonly org: string
  readonly item_id: string
  readonly change: InboxChange
  readonly change_id: string
  readonly op: string
  readonly args: string
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly memory_key: string
  readonly memory_id: string
  readonly mine: string
  readonly server: string | null
  readonly code: string
  readonly message: string
  readonly peer_ids: string[]
  readonly choices: InboxChoice[]
  readonly created_at: Date
  readonly closed_at: Date | null
  readonly closed_by: string
}

export type NewItem = Omit<InboxRow, 'item_id' | 'created_at' | 'closed_at' | 'closed_by'>

/** Ids of items, unlike those of pairs. */
export const isSyncItem = (id: string): boolean => id.startsWith('s_')

export async function addItem(tx: Tx, item: NewItem, now: Date): Promise<string> {
  const id = `s_${v7()}`
  await sql`INSERT INTO loom.sync_inbox (org, item_id, change, change_id, op, args, namespace, agent, user_id, session_id, memory_key,
      memory_id, mine, server, code, message, peer_ids, choices, created_at, erasure_seq)
    VALUES (${item.org}, ${id}, ${item.change}, ${item.change_id}, ${item.op}, ${item.args}, ${item.namespace}, ${item.agent}, ${item.user_id},
      ${item.session_id}, ${item.memory_key}, ${item.memory_id}, ${item.mine}, ${item.server}, ${item.code}, ${item.message},
      ${item.peer_ids}::text[], ${item.choices}::text[], ${now}, coalesce(
        (SELECT erasure_seq FROM loom.memory WHERE org = ${item.org} AND memory_id = ${item.memory_id}),
        (SELECT erasure_seq FROM loom.org WHERE org = ${item.org}), 0))`.execute(tx)
  return id
}

const NO_VALUE = { value: null, recorded_at: '', conflict_verdict: '', status: '' }

/** An item without its peers, which are read when it is shown. */
export function itemView(row: InboxRow): Omit<InboxItem, 'peers'> {
  const { org, namespace, agent, user_id, session_id } = row
  const server = row.server === null ? null : (parseJson(row.server) as NonNullable<InboxItem['server']>)
  return {
    item_id: row.item_id,
    change: row.change,
    change_id: row.change_id,
    op: row.op,
    identity: { org, namespace, agent, user_id, session_id },
    memory_key: row.memory_key,
    mine: { ...NO_VALUE, ...(parseJson(row.mine) as InboxItem['mine']) },
    server: server && { ...server, version: server.version_text === '' ? null : BigInt(server.version_text) },
    code: row.code,
    message: row.message,
    choices: row.choices,
    created_at: row.created_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    closed_by: row.closed_by,
  }
}

type ServerSide = NonNullable<InboxItem['server']>

/** The server's row as an item shows it, from its columns as text. */
export function serverSide(row: Readonly<Record<string, unknown>> | null): string | null {
  if (row === null) return null
  const text = (name: string): string => textOf(row[name])
  const side: Omit<ServerSide, 'version'> & { version: string } = {
    value: row['value'] === null || row['value'] === undefined ? null : (parseJson(text('value')) as ServerSide['value']),
    version: text('version'),
    version_text: text('version'),
    content_sha256: text('content_sha256'),
    actor: text('actor'),
    conflict_verdict: text('conflict_verdict'),
    status: text('status'),
  }
  return stringifyJson(side)
}

/** What was written here, as an item shows it; `value` as it is stored. */
export function mineSide(value: string | null, recordedAt: Date, verdict: string, status: string): string {
  return stringifyJson({
    value: value === null ? null : parseJson(value),
    recorded_at: recordedAt.toISOString(),
    conflict_verdict: verdict,
    status,
  })
}

export async function openItems(db: Queryable, org: string): Promise<number> {
  const { rows } = await sql<{
    open: number
  }>`SELECT count(*)::int AS open FROM loom.sync_inbox WHERE org = ${org} AND closed_at IS NULL`.execute(db)
  return rows[0]?.open ?? 0
}

export async function itemById(db: Queryable, org: string, itemId: string): Promise<InboxRow | null> {
  const { rows } = await sql<InboxRow>`SELECT * FROM loom.sync_inbox WHERE org = ${org} AND item_id = ${itemId}`.execute(db)
  return rows[0] ?? null
}

export async function closeItem(tx: Tx, org: string, itemId: string, by: string, now: Date): Promise<void> {
  await sql`UPDATE loom.sync_inbox SET closed_at = ${now}, closed_by = ${by} WHERE org = ${org} AND item_id = ${itemId} AND closed_at IS NULL`.execute(
    tx,
  )
}

export async function reopenItem(tx: Tx, org: string, itemId: string): Promise<void> {
  await sql`UPDATE loom.sync_inbox SET closed_at = NULL, closed_by = '' WHERE org = ${org} AND item_id = ${itemId}`.execute(tx)
}

/** Closed items go after 30 days. */
export async function dropOldItems(tx: Tx, org: string, now: Date): Promise<void> {
  await sql`DELETE FROM loom.sync_inbox WHERE org = ${org} AND closed_at < ${now}::timestamptz - interval '30 days'`.execute(tx)
}
