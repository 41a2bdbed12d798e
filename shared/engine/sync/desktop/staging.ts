import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { ShapeName } from '../../shapes/definitions.ts'
import { applyChanges } from './apply.ts'
import { addItem, mineSide, serverSide } from './inbox.ts'
import { dropMemory, type ApplyContext } from './memory-rows.ts'
import { followRecords } from './record-rows.ts'
import { folded, shapeOf, tableOf, type RowChange, type ShapeRow, textOf, unlessStamped } from './rows.ts'

/** How far a shape is applied. */
export interface ShapeState {
  readonly handle: string
  readonly shape_offset: string
  readonly up_to_date: boolean
  readonly staging: boolean
}

export async function shapeState(db: Tx, org: string, name: string): Promise<ShapeState | null> {
  const { rows } = await sql<ShapeState>`SELECT handle, shape_offset, up_to_date, staging FROM loom.shape_state
    WHERE org = ${org} AND shape = ${name}`.execute(db)
  return rows[0] ?? null
}

export async function storeState(tx: Tx, org: string, name: string, state: ShapeState): Promise<void> {
  await sql`INSERT INTO loom.shape_state (org, shape, handle, shape_offset, up_to_date, staging)
    VALUES (${org}, ${name}, ${state.handle}, ${state.shape_offset}, ${state.up_to_date}, ${state.staging})
    ON CONFLICT (org, shape) DO UPDATE SET handle = excluded.handle, shape_offset = excluded.shape_offset,
      up_to_date = excluded.up_to_date, staging = excluded.staging`.execute(tx)
}

/** Rows of a shape are here already: a snapshot is gathered beside them, and swapped in when it is whole. */
export async function hasRows(tx: Tx, org: string, name: ShapeName): Promise<boolean> {
  const { rows } = await sql<{
    some: boolean
  }>`SELECT EXISTS (SELECT 1 FROM ${sql.table(`loom.${tableOf(name)}`)} WHERE org = ${org}) AS some`.execute(tx)
  return rows[0]?.some ?? false
}

export async function clearStaging(tx: Tx, org: string, name: ShapeName): Promise<void> {
  await sql`DELETE FROM loom.shape_staging WHERE org = ${org} AND shape = ${name}`.execute(tx)
}

const BATCH = 1000

export async function stage(name: ShapeName, changes: readonly RowChange[], { tx, org }: ApplyContext): Promise<void> {
  const inserts: { key: string; row: ShapeRow }[] = []
  for (const [key, { operation, value }] of folded(name, changes)) {
    if (operation === 'insert') inserts.push({ key, row: value })
    else if (operation === 'delete')
      await sql`DELETE FROM loom.shape_staging WHERE org = ${org} AND shape = ${name} AND row_key = ${key}`.execute(tx)
    else
      await sql`UPDATE loom.shape_staging SET "row" = "row" || ${JSON.stringify(value)}::jsonb
        WHERE org = ${org} AND shape = ${name} AND row_key = ${key}`.execute(tx)
  }
  for (let at = 0; at < inserts.length; at += BATCH) {
    await sql`INSERT INTO loom.shape_staging (org, shape, row_key, "row")
      SELECT ${org}, ${name}, r.key, r.row FROM jsonb_to_recordset(${JSON.stringify(inserts.slice(at, at + BATCH))}::jsonb) AS r(key text, row jsonb)
      ON CONFLICT (org, shape, row_key) DO UPDATE SET "row" = excluded."row"`.execute(tx)
  }
}

/** A row's key, as `rowKey` makes it. */
const keySql = (name: ShapeName) =>
  sql.raw(
    `concat_ws(chr(31), ${shapeOf(name)
      .key.filter((column) => column !== 'org')
      .map((column) => `t."${column}"::text`)
      .join(', ')})`,
  )

const missing = (name: ShapeName, org: string) =>
  sql`t.org = ${org} AND NOT EXISTS (SELECT 1 FROM loom.shape_staging s WHERE s.org = ${org} AND s.shape = ${name} AND s.row_key = ${keySql(name)})
    AND NOT EXISTS (SELECT 1 FROM loom.sync_base b WHERE b.org = ${org} AND b.relation = ${tableOf(name)} AND b.row_key = ${keySql(name)})`

/**
 * Puts a gathered snapshot in the place of what is here: rows of the shape that are not in it go; queued and
 * quarantined changes and their rows stay on top. `told`: rows were told under the handle before, and what the new
 * snapshot lacks is lost on the server.
 */
export async function swapIn(name: ShapeName, told: boolean, context: ApplyContext): Promise<void> {
  const { tx, org } = context
  if (name === 'memory' && told) await noteLost(context)
  await sql`UPDATE loom.sync_base b SET "row" = NULL WHERE b.org = ${org} AND b.relation = ${tableOf(name)} AND NOT EXISTS
    (SELECT 1 FROM loom.shape_staging s WHERE s.org = ${org} AND s.shape = ${name} AND s.row_key IN (b.row_key, b."row" ->> 'memory_id'))`.execute(
    tx,
  )
  await removeMissing(name, context)
  for (let after = ''; ;) {
    const { rows } = await sql<{ row_key: string; row: ShapeRow }>`SELECT row_key, "row" FROM loom.shape_staging
      WHERE org = ${org} AND shape = ${name} AND row_key > ${after} ORDER BY row_key LIMIT ${BATCH}`.execute(tx)
    await applyChanges(
      name,
      rows.map(({ row }) => ({ operation: 'insert', value: row })),
      { ...context, isNewTruth: true },
    )
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) break
    after = last.row_key
  }
  await clearStaging(tx, org, name)
}

async function removeMissing(name: ShapeName, { tx, org, changed }: ApplyContext): Promise<void> {
  const table = sql.table(`loom.${tableOf(name)}`)
  if (name === 'erasures') return
  if (name === 'memory') {
    const { rows } = await sql<{
      memory_id: string
    }>`SELECT t.memory_id FROM loom.memory t WHERE ${missing(name, org)} ${unlessStamped(name)}`.execute(tx)
    for (const { memory_id } of rows) await dropMemory(tx, org, memory_id, 'all', changed)
    return
  }
  if (name === 'namespaces') {
    await sql`DELETE FROM loom.namespace t WHERE ${missing(name, org)} AND NOT EXISTS
      (SELECT 1 FROM loom.memory m WHERE m.org = t.org AND m.namespace = t.namespace)`.execute(tx)
    return
  }
  if (name === 'records') {
    const { rows } = await sql<{ record_id: string }>`DELETE FROM ${table} t WHERE ${missing(name, org)} RETURNING t.record_id`.execute(tx)
    await followRecords(tx, org, name, rows)
    return
  }
  await sql`DELETE FROM ${table} t WHERE ${missing(name, org)} ${unlessStamped(name)} ${own(name)}`.execute(tx)
}

/** Rows that the server never had: not yet, or because they belong to this host. */
function own(name: ShapeName) {
  if (name === 'versions') return sql`AND NOT t.provisional`
  return name === 'runs' ? sql`AND NOT (t.implicit AND t.last_seq > 0)` : sql``
}

/** What the server had answered and now lacks, or holds older: it was put back to an earlier day. */
async function noteLost({ tx, org, now }: ApplyContext): Promise<void> {
  const { rows: claims } = await sql<{
    grants: Record<string, string>
  }>`SELECT claims -> 'grants' AS grants FROM loom.sync_state WHERE org = ${org}`.execute(tx)
  const granted = Object.keys(claims[0]?.grants ?? {})
  const { rows } = await sql<Record<string, unknown> & { theirs: ShapeRow | null; held: boolean }>`SELECT t.*, s."row" AS theirs
    FROM loom.memory t LEFT JOIN loom.shape_staging s ON s.org = t.org AND s.shape = 'memory' AND s.row_key = t.memory_id
    WHERE t.org = ${org} AND t.erased_by = '' AND (s.row_key IS NULL OR (s."row" ->> 'rev')::int8 < t.rev)
      AND (${granted.includes('*')} OR t.namespace = any(${granted}::text[])) AND t.value IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM loom.sync_base b WHERE b.org = t.org AND b.relation = 'memory' AND b.row_key = t.memory_id)`.execute(tx)
  for (const row of rows) {
    const text = (name: string): string => textOf(row[name])
    await addItem(
      tx,
      {
        org,
        change: 'lost_on_server',
        change_id: text('change_id'),
        op: 'memory.set',
        args: '',
        namespace: text('namespace'),
        agent: text('agent'),
        user_id: text('user_id'),
        session_id: text('session_id'),
        memory_key: text('memory_key'),
        memory_id: text('memory_id'),
        mine: mineSide(text('value'), row['updated_at'] as Date, text('conflict_verdict'), text('status')),
        server: serverSide(row.theirs),
        code: '',
        message: 'The team server was put back to an earlier day and does not have this any more.',
        peer_ids: [],
        choices: ['accept', 'mine'],
      },
      now,
    )
  }
}
