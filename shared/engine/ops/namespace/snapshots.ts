import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { namespaceSnapshots as contract } from '../../../contract/ops/namespace/snapshots.ts'
import { defineRead } from '../../handler.ts'
import { boundOf } from '../../identity.ts'
import { readPlace, writeCursor } from '../../store/cursor.ts'
import type { Snapshot } from '../../store/snapshots.ts'

export const namespaceSnapshots = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { org, namespace } = context.identity
  const list = `snapshots/${namespace}`
  const place = readPlace(list, input.cursor, ['version'])
  const { rows } = await sql<Snapshot>`SELECT * FROM loom.namespace_snapshot WHERE org = ${org} AND namespace = ${namespace}
    AND (${place === null} OR version < ${place?.[0] ?? '0'}::int8) ORDER BY version DESC LIMIT ${input.limit + 1}`.execute(context.db)
  const shown = rows.slice(0, input.limit)
  // They were counted over everybody's rows.
  const isBound = Object.keys(boundOf(context.caller)).length > 0
  const last = shown.at(-1)
  return {
    snapshots: shown.map((row) => ({
      snapshot_id: row.snapshot_id,
      name: row.name,
      note: row.note,
      at: row.at.toISOString(),
      version: row.version,
      version_text: row.version.toString(),
      counts: isBound ? { by_status: {} } : row.counts,
      actor: row.actor,
      automatic: row.automatic,
    })),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.version.toString()]) : null,
  }
})
