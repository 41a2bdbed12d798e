import { sql } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import type { memoryRecordConflicts } from '../../../contract/ops/memory/record/conflicts.ts'
import type { FieldValue } from '../../../domain/records/values.ts'
import type { ReadContext } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { MOST_CANDIDATES } from '../../store/resolve.ts'
import { ambiguousRecord, type RecordCandidate } from './find-record.ts'
import { COLUMNS, all, narrowed, statusSql, type Condition, type FoundRecord } from './source.ts'

interface Page {
  readonly limit: number
  readonly cursor?: string | undefined
}

function ofSchema(schema: string, { identity }: ReadContext): Condition {
  return sql<boolean>`r.org = ${identity.org} AND r.namespace = ${identity.namespace} AND r.schema = ${schema}`
}

/** @throws LoomError AMBIGUOUS_KEY for the versions of several users */
async function passOneUser(where: Condition, key: string, { db }: ReadContext): Promise<void> {
  const { rows } =
    await sql<RecordCandidate>`SELECT DISTINCT ON (r.user_id) r.org, r.namespace, r.agent, r.user_id, r.session_id, r.record_key,
      r.record_id
    FROM loom.memory_record_version r WHERE ${where} ORDER BY r.user_id, r.version DESC LIMIT ${MOST_CANDIDATES + 1}`.execute(db)
  if (rows.length > 1) throw ambiguousRecord(key, rows)
}

/** One page of a record's versions, the newest first, tombstones among them. */
export async function versionsOfRecord(
  schema: string,
  key: string,
  input: Page,
  context: ReadContext,
): Promise<{ versions: FoundRecord[]; nextCursor: string | null }> {
  const list = listName('memory.record.history', context.identity.namespace, { schema, key, ...context.given })
  const place = readPlace(list, input.cursor, ['version'])
  const where = all([ofSchema(schema, context), sql<boolean>`r.record_key = ${key}`, ...narrowed(context)])
  await passOneUser(where, key, context)
  const { rows } = await sql<FoundRecord>`SELECT ${COLUMNS}, ${statusSql('h.version')} FROM loom.memory_record_version r
    LEFT JOIN loom.memory_record h ON h.org = r.org AND h.record_id = r.record_id
    WHERE ${where} AND ${place === null ? sql`true` : sql`r.version < ${BigInt(place[0] ?? '0')}`}
    ORDER BY r.version DESC LIMIT ${input.limit + 1}`.execute(context.db)
  const versions = rows.slice(0, input.limit)
  const last = versions.at(-1)
  return { versions, nextCursor: rows.length > input.limit && last ? writeCursor(list, [last.version.toString()]) : null }
}

type Question = Input<typeof memoryRecordConflicts>
type Change = Output<typeof memoryRecordConflicts>['changes'][number]

interface ChangeRow {
  readonly record_key: string
  readonly record_id: string
  readonly user_id: string
  readonly field: string
  readonly from_text: string | null
  readonly to_text: string | null
  readonly from_version: bigint
  readonly to_version: bigint
  readonly at: Date
  readonly from_actor: string
  readonly to_actor: string
  readonly agent: string
  readonly run_id: string
}

const heldIn = (text: string | null): FieldValue => (text === null ? { state: 'unknown' } : (JSON.parse(text) as FieldValue))

function changeOf(row: ChangeRow): Change {
  const { record_key, record_id, user_id, field, from_version, to_version, from_actor, to_actor, agent, run_id } = row
  const versions = { from_version, to_version, from_version_text: from_version.toString(), to_version_text: to_version.toString() }
  const sides = { from: heldIn(row.from_text), to: heldIn(row.to_text), from_actor, to_actor }
  return { record_key, record_id, user_id, field, ...sides, ...versions, at: row.at.toISOString(), agent, run_id }
}

/** Fields that changed when a version superseded another, the newest first; a tombstone supersedes nothing (REC014). */
export async function changesOfRecords(
  input: Question,
  fields: readonly string[],
  context: ReadContext,
): Promise<{ changes: Change[]; nextCursor: string | null }> {
  const list = listName('memory.record.conflicts', context.identity.namespace, { ...input, ...context.given })
  const place = readPlace(list, input.cursor, ['version', 'text', 'text'])
  const conditions: Condition[] = [
    ofSchema(input.schema, context),
    sql<boolean>`NOT r.tombstoned AND NOT p.tombstoned`,
    ...narrowed(context),
  ]
  if (input.record_key !== undefined) conditions.push(sql`r.record_key = ${input.record_key}`)
  if (input.since !== undefined) conditions.push(sql`r.created_at >= ${new Date(input.since)}`)
  conditions.push(sql`c.field = any(${input.field === undefined ? [...fields] : [input.field]}::text[])`)
  if (input.values_only)
    conditions.push(sql`(p.fields::jsonb -> c.field) ->> 'state' = 'value' AND (r.fields::jsonb -> c.field) ->> 'state' = 'value'`)
  if (place !== null) {
    const [version = '0', id = '', field = ''] = place
    conditions.push(sql`(r.version < ${BigInt(version)} OR (r.version = ${BigInt(version)}
      AND (r.record_id COLLATE "C", c.field COLLATE "C") > (${id}::text, ${field}::text)))`)
  }
  const bound = narrowed({ given: {}, caller: context.caller }, 'p')
  const { rows } = await sql<ChangeRow>`SELECT r.record_key, r.record_id, r.user_id, c.field, p.fields::jsonb ->> c.field AS from_text,
      r.fields::jsonb ->> c.field AS to_text, p.version AS from_version, r.version AS to_version, r.created_at AS at,
      p.actor AS from_actor, r.actor AS to_actor, r.agent, r.run_id
    FROM loom.memory_record_version r
    CROSS JOIN LATERAL (SELECT * FROM loom.memory_record_version p WHERE p.org = r.org AND p.record_id = r.record_id AND p.version < r.version
      ORDER BY p.version DESC LIMIT 1) p
    CROSS JOIN LATERAL unnest(r.changed) AS c(field)
    WHERE ${all([...conditions, ...bound])}
    ORDER BY r.version DESC, r.record_id COLLATE "C", c.field COLLATE "C" LIMIT ${input.limit + 1}`.execute(context.db)
  const page = rows.slice(0, input.limit)
  const last = page.at(-1)
  const next = rows.length > input.limit && last
  return {
    changes: page.map(changeOf),
    nextCursor: next ? writeCursor(list, [last.to_version.toString(), last.record_id, last.field]) : null,
  }
}
