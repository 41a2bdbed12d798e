import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import { movePosition, placeOf, waitingChanges, type LogPlace } from './change-log.ts'
import { liveHandles, lockShapes, sawIn, type StoredHandle } from './handles.ts'
import { gatherDirty, type DirtyRow } from './dirty-rows.ts'
import { messageKey, placeOfTransaction, type Offset } from './protocol.ts'
import { keySql, valueSql } from './row-sql.ts'
import { orgsOf, type ServedShape } from './served.ts'
import { parameters, quoteName, runStatement } from './statement.ts'

export interface LogEntry extends Offset {
  readonly body: string
  readonly bytes: number
}

/** What one pass wrote, by handle; each list in order. */
export type Written = ReadonlyMap<string, readonly LogEntry[]>

export interface Pass {
  /** Where the log stood before. */
  readonly from: bigint
  readonly place: LogPlace
  readonly written: Written
}

interface CurrentRow {
  readonly value: Readonly<Record<string, string | null>>
  /** By position of the handle: whether its filter sees the row. */
  readonly seen: readonly boolean[]
  readonly namespace: string
  readonly user_id: string
  readonly erasure_seq: string
}

interface Message {
  readonly kind: 'i' | 'u' | 'd'
  readonly key: string
  readonly value: Readonly<Record<string, string | null>>
  readonly dirty: DirtyRow
  readonly row: CurrentRow | undefined
}

/** Rows asked for in one statement. */
const ROWS_AT_ONCE = 1000

/**
 * Brings every log of an org up to what is committed, in one transaction. A log tells states: a row that changed several
 * times since the last pass is told once, as it is now. Null when nothing waited.
 */
export async function fanOut(database: Database, shapes: ReadonlyMap<string, ServedShape>, org: string): Promise<Pass | null> {
  return database.transaction(async (tx) => {
    await lockShapes(tx, database.kind, org)
    const place = await placeOf(tx, org, orgsOf(org))
    if (!place.waiting) return null
    const changes = await waitingChanges(tx, orgsOf(org), place)
    const last = changes.at(-1)
    if (!last) return null
    const handles = (await liveHandles(tx, org)).filter((handle) => handle.served_by === 'loom')
    const written = new Map<string, readonly LogEntry[]>()
    if (handles.length > 0) {
      const dirty = await gatherDirty(tx, org, shapes, handles, changes)
      for (const [shape, rows] of dirty) {
        const followed = handles.filter((handle) => handle.shape === shape.name)
        for (const [handle, entries] of await append(tx, org, shape, await messagesOf(tx, org, shape, followed, rows)))
          written.set(handle, entries)
      }
    }
    // Not the horizon: what a crash takes back, numbers of transactions that left nothing, must not lie behind it.
    const position = last.xid + 1n
    await movePosition(tx, org, position)
    return { from: place.position, place: { ...place, position, waiting: false }, written }
  })
}

/** What each handle of a shape is told of its changed rows. */
async function messagesOf(
  tx: Tx,
  org: string,
  shape: ServedShape,
  handles: readonly StoredHandle[],
  dirty: readonly DirtyRow[],
): Promise<Map<StoredHandle, Message[]>> {
  const made = handles.map((): Message[] => [])
  const saw = handles.map((handle) => sawIn(handle.snapshot))
  for (let from = 0; from < dirty.length; from += ROWS_AT_ONCE) {
    const some = dirty.slice(from, from + ROWS_AT_ONCE)
    const current = await currentRows(tx, shape, handles, some)
    const held = await heldRows(tx, org, handles, shape, some)
    for (const one of some) {
      const key = messageKey(shape, one.key)
      const row = current.get(key)
      for (const [place, { handle }] of handles.entries()) {
        // What the snapshot saw is in it.
        if (one.xids.every((xid) => saw[place]?.(xid))) continue
        const message = messageFor(shape, key, one, row, held.has(`${handle} ${key}`), row?.seen[place] ?? false)
        if (message) made[place]?.push(message)
      }
    }
  }
  return new Map(handles.map((handle, place) => [handle, made[place] ?? []]))
}

function messageFor(
  shape: ServedShape,
  key: string,
  dirty: DirtyRow,
  row: CurrentRow | undefined,
  held: boolean,
  seen: boolean,
): Message | null {
  if (!seen || !row) {
    if (!held) return null
    const value = Object.fromEntries(shape.key.map((column, at) => [column, dirty.key[at] ?? null]))
    return { kind: 'd', key, value, dirty, row: undefined }
  }
  if (!held) return { kind: 'i', key, value: row.value, dirty, row }
  if (dirty.changed === 'all') return { kind: 'u', key, value: row.value, dirty, row }
  const told = shape.columns.filter(({ name }) => dirty.changed !== 'all' && dirty.changed.has(name))
  if (told.length === 0) return null
  const names = new Set([...shape.key, ...told.map((column) => column.name)])
  return { kind: 'u', key, value: Object.fromEntries(Object.entries(row.value).filter(([name]) => names.has(name))), dirty, row }
}

/** The rows as they are, with every filter of the shape evaluated in one statement. */
async function currentRows(
  tx: Tx,
  shape: ServedShape,
  handles: readonly StoredHandle[],
  dirty: readonly DirtyRow[],
): Promise<Map<string, CurrentRow>> {
  const { bind, values } = parameters()
  const seen = handles.map((handle) => `coalesce((${shape.visible(handle.filter, bind)}), false)`)
  const among = shape.key.map((column, at) => {
    const wanted = [...new Set(dirty.map((one) => one.key[at] ?? ''))]
    return `t.${quoteName(column)} = ANY(${bind(wanted)}::text[]${castOf(shape, column)})`
  })
  const { namespace, user_id, erasure_seq } = shape.place
  const rows = await runStatement<{ key: string; value: string; seen: boolean[] } & Omit<CurrentRow, 'value' | 'seen'>>(
    tx,
    `SELECT ${keySql(shape)} AS key, ${valueSql(shape)} AS value, ARRAY[${seen.join(', ')}] AS seen,
      ${namespace} AS namespace, ${user_id} AS user_id, (${erasure_seq})::text AS erasure_seq
      FROM ${shape.source} WHERE ${among.join(' AND ')}`,
    values,
  )
  return new Map(rows.map((row) => [row.key, { ...row, value: JSON.parse(row.value) as CurrentRow['value'] }]))
}

function castOf(shape: ServedShape, column: string): string {
  const type = shape.columns.find(({ name }) => name === column)?.type ?? 'text'
  return type === 'text' ? '' : `::${type}[]`
}

/** The rows that followers hold: `handle key`, for those whose last message is no delete. */
async function heldRows(
  tx: Tx,
  org: string,
  handles: readonly StoredHandle[],
  shape: ServedShape,
  dirty: readonly DirtyRow[],
): Promise<Set<string>> {
  const names = handles.map((handle) => handle.handle)
  const keys = dirty.map((one) => messageKey(shape, one.key))
  const { rows } = await sql<{ handle: string; row_key: string; kind: string }>`SELECT DISTINCT ON (handle, row_key) handle, row_key, kind
    FROM loom.shape_log WHERE org = ${org} AND handle = ANY(${names}::text[]) AND row_key = ANY(${keys}::text[])
    ORDER BY handle, row_key, tx DESC, op DESC`.execute(tx)
  return new Set(rows.filter((row) => row.kind !== 'd').map((row) => `${row.handle} ${row.row_key}`))
}

interface NewEntry {
  readonly handle: string
  readonly tx: string
  readonly op: number
  readonly kind: Message['kind']
  readonly row_key: string
  readonly body: string
  readonly bytes: number
  readonly namespace: string
  readonly user_id: string
  readonly erasure_seq: string
}

const OPERATION = { i: 'insert', u: 'update', d: 'delete' } as const

/** A handle's messages as entries: in the order of transactions, numbered within each, the last of each marked. */
function entriesOf({ handle }: StoredHandle, shape: ServedShape, messages: readonly Message[]): NewEntry[] {
  const ordered = messages.toSorted((a, b) => a.dirty.order - b.dirty.order)
  let place = 0
  return ordered.map((message, at) => {
    const { xid } = message.dirty
    place = ordered[at - 1]?.dirty.xid === xid ? place + 2 : 0
    const headers = {
      operation: OPERATION[message.kind],
      relation: shape.relation,
      txids: [Number(xid)],
      lsn: String(placeOfTransaction(xid)),
      op_position: place,
      ...(ordered[at + 1]?.dirty.xid !== xid && { last: true }),
    }
    const body = JSON.stringify({ key: message.key, value: message.value, headers })
    return {
      handle,
      tx: headers.lsn,
      op: place,
      kind: message.kind,
      row_key: message.key,
      body,
      bytes: Buffer.byteLength(body) + 1,
      namespace: message.row?.namespace ?? '',
      user_id: message.row?.user_id ?? '',
      erasure_seq: message.row?.erasure_seq ?? '0',
    }
  })
}

/** Writes the messages of a shape's handles, and counts them where each handle's size is kept. */
async function append(
  tx: Tx,
  org: string,
  shape: ServedShape,
  messages: ReadonlyMap<StoredHandle, readonly Message[]>,
): Promise<[handle: string, entries: LogEntry[]][]> {
  const made = [...messages].filter(([, list]) => list.length > 0).map(([handle, list]) => entriesOf(handle, shape, list))
  if (made.length === 0) return []
  await sql`WITH r AS MATERIALIZED (SELECT * FROM json_to_recordset(${JSON.stringify(made.flat())}::json) AS r (handle text, tx int8, op int8,
      kind text, row_key text, body text, bytes int4, namespace text, user_id text, erasure_seq int8)),
    logged AS (INSERT INTO loom.shape_log (org, handle, tx, op, item, kind, row_key, body, bytes, namespace, user_id, erasure_seq)
      SELECT ${org}, handle, tx, op, 0, kind, row_key, body, bytes, namespace, user_id, erasure_seq FROM r)
    UPDATE loom.shape_handle h SET entries = h.entries + s.entries, bytes = h.bytes + s.bytes
    FROM (SELECT handle, count(*) AS entries, sum(bytes) AS bytes FROM r GROUP BY handle) AS s WHERE h.org = ${org} AND h.handle = s.handle`.execute(
    tx,
  )
  return made.map((entries) => [
    entries[0]?.handle ?? '',
    entries.map(({ tx, op, body, bytes }) => ({ tx: BigInt(tx), op: BigInt(op), body, bytes })),
  ])
}
