import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { ShapeName } from '../../shapes/definitions.ts'
import type { ShapeRow } from './rows.ts'

/** A run that came has at least the events that are here, and goes on numbering after them. */
export async function followRuns(tx: Tx, org: string, name: ShapeName, rows: readonly ShapeRow[]): Promise<void> {
  if (name !== 'runs' || rows.length === 0) return
  const places = JSON.stringify(rows.map(({ namespace, run_id }) => ({ namespace, run_id })))
  await sql`UPDATE loom.run r SET events = greatest(r.events, e.events), last_seq = greatest(r.last_seq, e.last)
    FROM (SELECT t.namespace, t.run_id, count(*)::int AS events, max(t.seq) AS last FROM loom.run_event t
      JOIN (SELECT DISTINCT namespace, run_id FROM json_to_recordset(${places}::json) AS n(namespace text, run_id text)) AS n
        ON t.namespace = n.namespace AND t.run_id = n.run_id
      WHERE t.org = ${org} AND t.run_id <> '' GROUP BY 1, 2) AS e
    WHERE r.org = ${org} AND r.namespace = e.namespace AND r.run_id = e.run_id`.execute(tx)
}
