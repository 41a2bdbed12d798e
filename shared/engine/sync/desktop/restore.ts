import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { adoptId, dropMemory, putMemories, type ApplyContext } from './memory-rows.ts'
import { followRecords } from './record-rows.ts'
import { followLibrary } from './library-rows.ts'
import { followRuns } from './run-rows.ts'
import { deleteRows, shapeOf, shapeOfTable, upsertRows, type BaseRow, type ShapeRow } from './rows.ts'
import { KEY_PART } from './capture.ts'

/** The columns of a key as a row, for one that the server does not have. */
function keyRow(org: string, table: string, rowKey: string): ShapeRow {
  const parts = rowKey.split(KEY_PART)
  const columns = shapeOf(shapeOfTable(table)).key.filter((column) => column !== 'org')
  return { org, ...Object.fromEntries(columns.map((column, at) => [column, parts[at]])) }
}

/** Ours stands, and needs no base any more. */
export async function dropBase(tx: Tx, org: string, { relation, row_key }: Pick<BaseRow, 'relation' | 'row_key'>): Promise<void> {
  await sql`DELETE FROM loom.sync_base WHERE org = ${org} AND relation = ${relation} AND row_key = ${row_key}`.execute(tx)
}

/** Puts the server's row back in the place of ours, and forgets it as a base. */
export async function restoreBase(base: BaseRow, context: ApplyContext): Promise<void> {
  const { tx, org, now, changed } = context
  await dropBase(tx, org, base)
  const name = shapeOfTable(base.relation)
  if (name === 'memory') {
    if (base.row === null) return dropMemory(tx, org, base.row_key, 'provisional', changed)
    const id = String(base.row['memory_id'])
    if (id !== base.row_key) await adoptId(tx, org, base.row_key, id, now, changed)
    await putMemories(tx, org, [base.row], changed)
    return
  }
  const row = base.row ?? keyRow(org, base.relation, base.row_key)
  if (base.row === null) await deleteRows(tx, name, [row])
  else await upsertRows(tx, name, [row])
  await followRecords(tx, org, name, [row])
  await followLibrary(tx, org, name, [row])
  await followRuns(tx, org, name, [row])
  if (name === 'documents' || name === 'messages') changed.library.add(name)
}
