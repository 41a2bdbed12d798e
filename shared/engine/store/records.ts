import { sql, type Insertable, type Selectable } from 'kysely'
import type { Fields } from '../../domain/records/values.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { Identity } from '../identity.ts'
import { provenanceOf } from './provenance.ts'
import { sha256 } from './sha256.ts'

/** Records: an append-only history of versions, and the head of each, which is made from it. */

/** Columns that are answered; those that predicates read stay in the store. */
export const RECORD_COLUMNS = [
  'org',
  'namespace',
  'schema',
  'user_id',
  'record_key',
  'record_id',
  'version',
  'schema_version',
  'fields',
  'content_sha256',
  'key_source',
  'tombstoned',
  'agent',
  'session_id',
  'run_id',
  'actor',
  'source_class',
  'source_trace',
  'source_resource_id',
  'reason',
  'created_at',
  'first_created_at',
] as const satisfies readonly (keyof Tables['memory_record'])[]

const HEAD_COLUMNS = [...RECORD_COLUMNS, 'vals', 'folds', 'states', 'erasure_seq'] as const

export type RecordRow = Pick<Selectable<Tables['memory_record']>, (typeof RECORD_COLUMNS)[number]>
export type NewRecordVersion = Insertable<Tables['memory_record_version']>

type Place = Pick<Identity, 'org' | 'namespace' | 'user_id'>

const ID_DIGITS = 32

/** Made of what a record is known by: every host that writes it gives it the same id. */
export function recordId({ org, namespace, user_id }: Place, schema: string, key: string): string {
  return `r_${sha256(JSON.stringify([org, namespace, user_id, schema, key])).slice(0, ID_DIGITS)}`
}

export const storedFields = (row: Pick<RecordRow, 'fields'>): Fields => JSON.parse(row.fields) as Fields

/** The latest version of a record, a tombstone too. */
export async function recordHead(db: Queryable, org: string, id: string): Promise<RecordRow | null> {
  const row = await db
    .selectFrom('memory_record')
    .select(RECORD_COLUMNS)
    .where('org', '=', org)
    .where('record_id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

const COLUMNS = HEAD_COLUMNS.join(', ')
const REPLACED = HEAD_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')

/**
 * Makes the heads of records anew from their versions: what was written here and not answered yet is on top. A record
 * without a version has no head.
 */
export async function projectHeads(tx: Tx, org: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const these = sql`${[...ids]}::text[]`
  await sql`DELETE FROM loom.memory_record h WHERE h.org = ${org} AND h.record_id = any(${these}) AND NOT EXISTS
    (SELECT 1 FROM loom.memory_record_version v WHERE v.org = h.org AND v.record_id = h.record_id)`.execute(tx)
  await sql`INSERT INTO loom.memory_record (${sql.raw(COLUMNS)})
    SELECT DISTINCT ON (record_id) ${sql.raw(COLUMNS)} FROM loom.memory_record_version
    WHERE org = ${org} AND record_id = any(${these}) ORDER BY record_id, provisional DESC, version DESC
    ON CONFLICT (org, record_id) DO UPDATE SET ${sql.raw(REPLACED)}`.execute(tx)
}

/** The pushed change that a version comes from; empty for what is written here. */
export function pushedBy(tx: Tx): { readonly change_id?: string; readonly device_id?: string } {
  const told = provenanceOf(tx)
  return told === null ? {} : { change_id: told.changeId, device_id: told.deviceId }
}

export async function appendRecordVersion(tx: Tx, row: NewRecordVersion): Promise<void> {
  await tx.insertInto('memory_record_version').values(row).execute()
  await projectHeads(tx, row.org, [row.record_id])
}
