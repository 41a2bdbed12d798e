import { sql, type RawBuilder } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { knowledgeList as contract } from '../../../contract/ops/knowledge/list.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { documentPage, documentView, inScope, readableBy } from '../../store/documents.ts'
import { fold } from '../../../domain/text/fold.ts'

function conditionsOf({ collection, tags, format, source_prefix }: Input<typeof contract>, context: ReadContext): RawBuilder<boolean>[] {
  const wanted = (tags ?? []).map(fold)
  return [
    ...inScope(context),
    readableBy(context.caller),
    ...(collection === undefined ? [] : [sql<boolean>`d.collection = ${collection}`]),
    ...(wanted.length === 0
      ? []
      : [sql<boolean>`EXISTS (SELECT 1 FROM unnest(d.tags) AS t(tag) WHERE lower(t.tag) = any(${wanted}::text[]))`]),
    ...(format === undefined ? [] : [sql<boolean>`d.format = ${format}`]),
    ...(source_prefix === '' ? [] : [sql<boolean>`starts_with(d.source, ${source_prefix})`]),
  ]
}

export const knowledgeList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, given } = context
  const list = listName(contract.name, identity.namespace, { ...input, ...given })
  const byTitle = input.order === 'title'
  const place = readPlace(list, input.cursor, byTitle ? ['text', 'text'] : ['time', 'text'])
  const conditions = conditionsOf(input, context)
  const order = byTitle ? sql`d.title COLLATE "C", d.document_id` : sql`d.updated_at DESC, d.document_id`
  const beyond = byTitle
    ? place && sql<boolean>`(d.title COLLATE "C", d.document_id) > (${place[0]}, ${place[1]})`
    : place &&
      sql<boolean>`(d.updated_at < ${place[0]}::timestamptz OR (d.updated_at = ${place[0]}::timestamptz AND d.document_id > ${place[1]}))`
  const rows = await documentPage(db, beyond ? [...conditions, beyond] : conditions, order, input.limit + 1)
  const { rows: counted } = await sql<{ total: number }>`SELECT count(*)::int AS total FROM loom.knowledge_document d
    WHERE ${sql.join(conditions, sql` AND `)}`.execute(db)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    documents: shown.map(documentView),
    total: counted[0]?.total ?? 0,
    next_cursor:
      rows.length > input.limit && last
        ? writeCursor(list, [byTitle ? last.title : last.updated_at.toISOString(), last.document_id])
        : null,
  }
})
