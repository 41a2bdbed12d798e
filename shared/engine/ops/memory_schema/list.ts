import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { memorySchemaList as contract } from '../../../contract/ops/memory_schema/list.ts'
import { defineRead } from '../../handler.ts'
import { all, narrowed } from '../../read/records/source.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { fieldsOf, type SchemaRow } from '../../store/record-schemas.ts'

type Listed = SchemaRow & { readonly records: number }
type View = Output<typeof contract>['schemas'][number]

function viewOf(row: Listed): View {
  const { schema, description, version, actor, decided_by, reason, records } = row
  return {
    schema,
    description,
    fields: fieldsOf(row),
    version,
    status: row.status as View['status'],
    created_at: row.created_at.toISOString(),
    actor,
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by,
    reason,
    records,
  }
}

export const memorySchemaList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { org, namespace } = context.identity
  const list = listName(contract.name, namespace, input)
  const place = readPlace(list, input.cursor, ['text', 'version'])
  const { rows } =
    await sql<Listed>`SELECT s.*, (SELECT count(*)::int FROM loom.memory_record r WHERE r.org = s.org AND r.namespace = s.namespace
      AND r.schema = s.schema AND NOT r.tombstoned AND ${all(narrowed({ given: {}, caller: context.caller }))}) AS records
    FROM loom.memory_schema s WHERE s.org = ${org} AND s.namespace = ${namespace} AND s.status = any(${[...input.status]}::text[])
      AND (${input.schema} = '' OR s.schema = ${input.schema})
      AND ${place === null ? sql`true` : sql`(s.schema COLLATE "C" > ${place[0]}::text OR (s.schema = ${place[0]} AND s.version < ${place[1]}::text::int8))`}
    ORDER BY s.schema COLLATE "C", s.version DESC LIMIT ${input.limit + 1}`.execute(context.db)
  const page = rows.slice(0, input.limit)
  const last = page.at(-1)
  return {
    schemas: page.map(viewOf),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.schema, last.version.toString()]) : null,
  }
})
