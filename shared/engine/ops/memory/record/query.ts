import { sql } from 'kysely'
import type { Output } from '../../../../contract/declare.ts'
import { memoryRecordQuery as contract } from '../../../../contract/ops/memory/record/query.ts'
import { defineRead } from '../../../handler.ts'
import { countRecords, pageOfRecords } from '../../../read/records/page.ts'
import { predicateSql } from '../../../read/records/predicate-sql.ts'
import { readWhere } from '../../../read/records/read-where.ts'
import { narrowed } from '../../../read/records/source.ts'
import { recordView } from '../../../read/records/view.ts'
import { requireSchema } from '../../../store/record-schemas.ts'

export const memoryRecordQuery = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { fields } = await requireSchema(context.db, context.identity, input.schema)
  const live = input.include_tombstoned ? [] : [sql<boolean>`NOT r.tombstoned`]
  const conditions = [...narrowed(context), ...live, predicateSql(readWhere(input.where, fields))]
  const { records, nextCursor } = await pageOfRecords(conditions, input, fields, context)
  return {
    records: records.map((row) => recordView(row, fields)),
    total: input.count ? await countRecords(conditions, input, context) : null,
    next_cursor: nextCursor,
  }
})
