import type { Tx } from '../../db/database.ts'
import type { ShapeName } from '../../shapes/definitions.ts'
import { projectHeads } from '../../store/records.ts'
import { textOf, type ShapeRow } from './rows.ts'

/** Heads of records are made from their versions: they follow what came, changed and went. */
export async function followRecords(tx: Tx, org: string, name: ShapeName, rows: readonly ShapeRow[]): Promise<void> {
  if (name !== 'records') return
  await projectHeads(tx, org, [...new Set(rows.map((row) => textOf(row['record_id'])))])
}
