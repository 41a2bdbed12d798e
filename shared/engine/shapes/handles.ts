import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Queryable, Tx } from '../db/database.ts'
import { filterFrom, filterText, meets, sha256, type ErasureScope, type ShapeFilter } from './filters.ts'
import { columnsHash } from './protocol.ts'
import { keySql, TEXT_FORMATS, valueSql } from './row-sql.ts'
import type { ServedShape } from './served.ts'
import { parameters, quoteText, runStatement } from './statement.ts'

/** A handle as stored. */
export interface StoredHandle {
  readonly handle: string
  readonly shape: string
  readonly filter: ShapeFilter
  readonly served_by: 'loom' | 'electric'
  /** `xmin:xmax:xip,…` of the snapshot that its log begins with. */
  readonly snapshot: string
}

interface HandleRow {
  readonly handle: string
  readonly shape: string
  readonly filter: string
  readonly served_by: string
  readonly snapshot: string
}

const fromRow = (row: HandleRow): StoredHandle => ({
  ...row,
  filter: filterFrom(row.filter),
  served_by: row.served_by === 'electric' ? 'electric' : 'loom',
})

/** Held by whoever changes the handles or the logs of an org; processes of one Postgres take turns. */
export async function lockShapes(tx: Tx, kind: Database['kind'], org: string): Promise<void> {
  if (kind === 'postgres') await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`shapes/${org}`}, 0))`.execute(tx)
  await sql.raw(TEXT_FORMATS).execute(tx)
}

/** Tells every process that the handles of an org are not what they were. */
export async function raiseEpoch(tx: Tx, org: string): Promise<void> {
  await sql`INSERT INTO loom.org AS o (org, created_at, shape_epoch) VALUES (${org}, now(), 1)
    ON CONFLICT (org) DO UPDATE SET shape_epoch = o.shape_epoch + 1`.execute(tx)
}

/** The handles of an org that are followed. */
export async function liveHandles(db: Queryable, org: string): Promise<StoredHandle[]> {
  const { rows } = await sql<HandleRow>`SELECT handle, shape, filter, served_by, snapshot FROM loom.shape_handle
    WHERE org = ${org} AND gone_at IS NULL ORDER BY handle`.execute(db)
  return rows.map(fromRow)
}

export interface NewHandle {
  readonly shape: ServedShape
  readonly filter: ShapeFilter
  readonly servedBy: StoredHandle['served_by']
  readonly now: Date
  /** Bytes after which a part of the snapshot ends. */
  readonly chunkBytes: number
}

/**
 * Stores a handle that is not there yet. Ours begins with a snapshot, taken under the lock of the org's logs: what it
 * does not see is noted in the change log, and comes after it.
 */
export async function createHandle(tx: Tx, made: NewHandle): Promise<StoredHandle> {
  const { shape, filter, servedBy, now } = made
  const text = filterText(filter)
  // Never used twice, also by a database that was put back to an earlier day.
  const handle = `${shape.name}-${now.getTime().toString(36)}-${randomBytes(9).toString('base64url')}`
  await sql`INSERT INTO loom.shape_handle
      (org, handle, shape, filter, filter_sha256, columns_sha256, served_by, instance_id, erasure_seq, created_at, read_at)
    SELECT ${filter.org}, ${handle}, ${shape.name}, ${text}, ${sha256(text)}, ${columnsHash(shape)}, ${servedBy},
      coalesce((SELECT instance_id FROM loom.instance ORDER BY created_at DESC LIMIT 1), ''),
      coalesce((SELECT erasure_seq FROM loom.org WHERE org = ${filter.org}), 0), ${now}, ${now}`.execute(tx)
  const snapshot = servedBy === 'loom' ? await writeSnapshot(tx, handle, made) : ''
  await raiseEpoch(tx, filter.org)
  return { handle, shape: shape.name, filter, served_by: servedBy, snapshot }
}

/** Writes the rows that the filter sees now into the log, in parts, then where the snapshot ends. */
async function writeSnapshot(tx: Tx, handle: string, { shape, filter, chunkBytes }: NewHandle): Promise<string> {
  const { bind, values } = parameters()
  const head = quoteText(`,"headers":{"operation":"insert","relation":${JSON.stringify(shape.relation)}}}`)
  const { namespace, user_id, erasure_seq } = shape.place
  const org = bind(filter.org)
  const name = bind(handle)
  const statement = `WITH picked AS MATERIALIZED (
      SELECT ${keySql(shape)} AS row_key, ${valueSql(shape)} AS value, ${namespace} AS namespace, ${user_id} AS user_id,
        ${erasure_seq} AS erasure_seq
      FROM ${shape.source} WHERE ${shape.visible(filter, bind)}),
    built AS (SELECT row_key, namespace, user_id, erasure_seq, '{"key":' || to_json(row_key)::text || ',"value":' || value || ${head} AS body FROM picked),
    placed AS (SELECT *, row_number() OVER w AS item, octet_length(body) + 1 AS bytes,
        (sum(octet_length(body) + 1) OVER w - octet_length(body) - 1) / ${bind(chunkBytes)}::int8 AS chunk
      FROM built WINDOW w AS (ROWS UNBOUNDED PRECEDING)),
    logged AS (INSERT INTO loom.shape_log (org, handle, tx, op, item, kind, row_key, body, bytes, namespace, user_id, erasure_seq)
      SELECT ${org}::text, ${name}::text, 0, chunk, item, 'i', row_key, body, bytes, namespace, user_id, erasure_seq FROM placed
      RETURNING op, item, bytes)
    SELECT pg_current_snapshot()::text AS snapshot, coalesce(max(op), 0)::text AS op, coalesce(max(item), 0)::text AS item,
      coalesce(sum(bytes), 0)::text AS bytes FROM logged`
  const [done] = await runStatement<{ snapshot: string; op: string; item: string; bytes: string }>(tx, statement, values)
  if (!done) throw new Error('a snapshot gave no answer')
  const [xmin = '', xmax = '', xip = ''] = done.snapshot.split(':')
  const end = JSON.stringify({ headers: { control: 'snapshot-end', xmin, xmax, xip_list: xip === '' ? [] : xip.split(',') } })
  await sql`INSERT INTO loom.shape_log (org, handle, tx, op, item, kind, row_key, body, bytes)
    VALUES (${filter.org}, ${handle}, 0, ${done.op}::int8, ${done.item}::int4 + 1, 'c', '', ${end}, ${end.length + 1})`.execute(tx)
  await sql`UPDATE loom.shape_handle SET snapshot = ${done.snapshot}, entries = ${done.item}::int8, bytes = ${done.bytes}::int8
    WHERE org = ${filter.org} AND handle = ${handle}`.execute(tx)
  return done.snapshot
}

/** Whether a snapshot holds what a transaction did. */
export function sawIn(snapshot: string): (xid: bigint) => boolean {
  const [, xmax = '0', xip = ''] = snapshot.split(':')
  const running = new Set(xip === '' ? [] : xip.split(',').map(BigInt))
  const end = BigInt(xmax)
  return (xid) => xid < end && !running.has(xid)
}

/**
 * Ends the handles named: from the next request on they are unknown (409, a new one), and their logs are gone. One that
 * Electric holds stays, marked, until it is deleted there.
 */
export async function endHandles(tx: Tx, org: string, handles: readonly string[], now: Date): Promise<void> {
  if (handles.length === 0) return
  const named = [...handles]
  await sql`UPDATE loom.shape_handle SET gone_at = ${now} WHERE org = ${org} AND handle = ANY(${named}::text[]) AND served_by = 'electric'`.execute(
    tx,
  )
  await sql`DELETE FROM loom.shape_handle WHERE org = ${org} AND handle = ANY(${named}::text[]) AND served_by = 'loom'`.execute(tx)
  await sql`DELETE FROM loom.shape_log WHERE org = ${org} AND handle = ANY(${named}::text[])`.execute(tx)
  await raiseEpoch(tx, org)
}

/** Ends every handle of every org. Only a start does: after a restore, or when changes went unseen. */
export async function rotateAll(tx: Tx): Promise<void> {
  await sql`UPDATE loom.shape_handle SET gone_at = now() WHERE served_by = 'electric' AND gone_at IS NULL`.execute(tx)
  await sql`DELETE FROM loom.shape_handle WHERE served_by = 'loom'`.execute(tx)
  await sql`DELETE FROM loom.shape_log`.execute(tx)
  await sql`DELETE FROM loom.change_log`.execute(tx)
  await sql`UPDATE loom.org SET shape_xid = '0', change_floor = pg_snapshot_xmax(pg_current_snapshot()), shape_epoch = shape_epoch + 1`.execute(
    tx,
  )
}

/** Handles whose rows an erasure of the scope may take. */
export function handlesIn(handles: readonly StoredHandle[], scope: ErasureScope, holdsContent: (shape: string) => boolean): string[] {
  return handles.filter((handle) => holdsContent(handle.shape) && meets(handle.filter, scope)).map((handle) => handle.handle)
}
