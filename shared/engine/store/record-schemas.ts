import { sql, type Selectable } from 'kysely'
import { LoomError } from '../../contract/errors.ts'
import type { FieldDef } from '../../domain/records/schema.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { Identity } from '../identity.ts'

export type SchemaRow = Selectable<Tables['memory_schema']>
type Place = Pick<Identity, 'org' | 'namespace'>

export interface ActiveSchema {
  readonly name: string
  readonly version: number
  readonly fields: readonly FieldDef[]
}

export const fieldsOf = (row: Pick<SchemaRow, 'fields'>): FieldDef[] => JSON.parse(row.fields) as FieldDef[]

/** Every version of a schema, the newest first. */
export async function versionsOfSchema(db: Queryable, { org, namespace }: Place, schema: string): Promise<SchemaRow[]> {
  return db
    .selectFrom('memory_schema')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('schema', '=', schema)
    .orderBy('version', 'desc')
    .execute()
}

/**
 * The schema that rules now. Of two active ones, as a desktop has them while the server settles, the newer.
 * @throws LoomError NOT_FOUND, saying when one is proposed
 */
export async function requireSchema(db: Queryable, place: Place, schema: string): Promise<ActiveSchema> {
  const row = await db
    .selectFrom('memory_schema')
    .selectAll()
    .where('org', '=', place.org)
    .where('namespace', '=', place.namespace)
    .where('schema', '=', schema)
    .where('status', 'in', ['active', 'proposed'])
    .orderBy('status')
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row?.status === 'active') return { name: schema, version: row.version, fields: fieldsOf(row) }
  const hint = row
    ? `Version ${row.version} is proposed and waits for memory_schema.approve.`
    : 'Register it with memory_schema.register, or propose it with memory_schema.propose.'
  throw new LoomError('NOT_FOUND', `${place.namespace} has no active schema ${schema}. ${hint}`, {
    field: 'schema',
    ...(row && { proposed_version: row.version }),
  })
}

/** Holds a schema until the transaction ends: shared by writes of its records, alone for a change of the schema. */
export async function holdSchema(
  tx: Tx,
  kind: 'pglite' | 'postgres',
  { org, namespace }: Place,
  schema: string,
  mode: 'shared' | 'alone',
): Promise<void> {
  // On PGlite the one connection is lock enough.
  if (kind === 'pglite') return
  const name = sql`hashtextextended(${`schema:${org}/${namespace}/${schema}`}, 0)`
  await sql`SELECT ${mode === 'alone' ? sql`pg_advisory_xact_lock(${name})` : sql`pg_advisory_xact_lock_shared(${name})`}`.execute(tx)
}

export async function addSchemaVersion(
  tx: Tx,
  row: Omit<SchemaRow, 'decided_at' | 'decided_by'> & Partial<Pick<SchemaRow, 'decided_at' | 'decided_by'>>,
): Promise<void> {
  await tx
    .insertInto('memory_schema')
    .values({ decided_at: null, decided_by: '', ...row })
    .execute()
}

export async function changeSchemaVersion(
  tx: Tx,
  { org, namespace, schema, version }: Pick<SchemaRow, 'org' | 'namespace' | 'schema' | 'version'>,
  changes: Partial<Pick<SchemaRow, 'status' | 'decided_at' | 'decided_by' | 'reason'>>,
): Promise<void> {
  await tx
    .updateTable('memory_schema')
    .set(changes)
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('schema', '=', schema)
    .where('version', '=', version)
    .execute()
}

/** Whether any record was ever written under a schema, tombstones among them. */
export async function hasRecords(db: Queryable, { org, namespace }: Place, schema: string): Promise<boolean> {
  const { rows } = await sql<{ some: boolean }>`SELECT EXISTS (SELECT 1 FROM loom.memory_record_version
    WHERE org = ${org} AND namespace = ${namespace} AND schema = ${schema}) AS some`.execute(db)
  return rows[0]?.some === true
}
