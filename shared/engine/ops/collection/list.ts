import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { collectionList as contract } from '../../../contract/ops/collection/list.ts'
import { defineRead } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { inScope, readableBy } from '../../store/documents.ts'

interface Counted {
  readonly collection: string
  readonly documents: number
  readonly chunks: number
  readonly chars: bigint
  readonly updated_at: Date
}

export const collectionList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, given, caller } = context
  const list = listName(contract.name, identity.namespace, { ...given })
  const after = readPlace(list, input.cursor, ['text'])?.[0] ?? ''
  const conditions = [...inScope(context), readableBy(caller), sql<boolean>`d.collection COLLATE "C" > ${after}`]
  const { rows } =
    await sql<Counted>`SELECT d.collection, count(*)::int AS documents, sum(d.chunks)::int AS chunks, sum(d.chars)::int8 AS chars,
      max(d.updated_at) AS updated_at FROM loom.knowledge_document d
    WHERE ${sql.join(conditions, sql` AND `)} GROUP BY d.collection ORDER BY d.collection COLLATE "C" LIMIT ${input.limit + 1}`.execute(db)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    collections: shown.map(({ chars, updated_at, ...row }) => ({ ...row, chars: Number(chars), updated_at: updated_at.toISOString() })),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.collection]) : null,
  }
})
