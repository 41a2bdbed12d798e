import { CompiledQuery, sql, type Selectable } from 'kysely'
import { GUARD_COLUMNS, VERSION_COLUMNS } from '../db/columns.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { GuardColumns, MemoryTable } from '../db/tables.ts'
import type { Given, Identity } from '../identity.ts'
import { provenanceOf } from './provenance.ts'

/** Head of a key, as stored. */
export type Head = Selectable<MemoryTable>

/** Written out once, as are the other statements of every write: building one anew takes as long as running it. */
const HEAD_AT = `SELECT * FROM loom.memory WHERE org = $1 AND namespace = $2 AND agent = $3 AND user_id = $4 AND session_id = $5
  AND memory_key = $6 AND erased_by = ''`

/** The head at exactly this identity and key, whatever its status. */
export async function headAt(db: Queryable, identity: Identity, key: string): Promise<Head | null> {
  const { org, namespace, agent, user_id, session_id } = identity
  const { rows } = await db.executeQuery<Head>(CompiledQuery.raw(HEAD_AT, [org, namespace, agent, user_id, session_id, key]))
  return rows[0] ?? null
}

export async function headById(db: Queryable, org: string, memoryId: string): Promise<Head | null> {
  const row = await db
    .selectFrom('memory')
    .selectAll()
    .where('org', '=', org)
    .where('memory_id', '=', memoryId)
    .where('erased_by', '=', sql.lit(''))
    .executeTakeFirst()
  return row ?? null
}

const HEADS_BY_ID = `SELECT * FROM loom.memory WHERE org = $1 AND memory_id = any($2::text[]) AND erased_by = ''`

export async function headsById(db: Queryable, org: string, memoryIds: readonly string[]): Promise<Map<string, Head>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await db.executeQuery<Head>(CompiledQuery.raw(HEADS_BY_ID, [org, [...memoryIds]]))
  return new Map(rows.map((row) => [row.memory_id, row]))
}

/** Heads of a key anywhere in the namespace; the fields given narrow. Newest first. */
export async function headsOfKey(db: Queryable, org: string, namespace: string, key: string, narrow: Given): Promise<Head[]> {
  return db
    .selectFrom('memory')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('memory_key', '=', key)
    .where('erased_by', '=', sql.lit(''))
    .$if(narrow.agent !== undefined, (query) => query.where('agent', '=', narrow.agent ?? ''))
    .$if(narrow.user_id !== undefined, (query) => query.where('user_id', '=', narrow.user_id ?? ''))
    .$if(narrow.session_id !== undefined, (query) => query.where('session_id', '=', narrow.session_id ?? ''))
    .orderBy('version', 'desc')
    .execute()
}

const ACTIVE_WITH_CANONICAL = `SELECT memory_id FROM loom.memory WHERE org = $1 AND namespace = $2 AND canonical_sha256 = $3
  AND canonical_sha256 <> '' AND status = 'active' AND erased_by = '' ORDER BY created_at LIMIT 20`

/** Ids of active rows whose canonical text is the same, oldest first. */
export async function activeWithCanonical(db: Queryable, org: string, namespace: string, canonicalSha256: string): Promise<string[]> {
  const { rows } = await db.executeQuery<Pick<Head, 'memory_id'>>(
    CompiledQuery.raw(ACTIVE_WITH_CANONICAL, [org, namespace, canonicalSha256]),
  )
  return rows.map((row) => row.memory_id)
}

/** Why a version retired its row without anyone asking. */
export interface Retirement {
  readonly retired_cause: 'newest_wins' | 'refines' | 'resolver' | 'sync'
  readonly retired_reason: string
  readonly retired_confidence: number
  readonly retired_by_version: bigint
}

const HEAD_COLUMNS = [...VERSION_COLUMNS, ...GUARD_COLUMNS, 'rev'] as const satisfies readonly (keyof MemoryTable)[]
const EXTRA_COLUMNS = ['op', 'retired_cause', 'retired_reason', 'retired_confidence', 'retired_by_version', 'said_at'] as const
/** The pushed change of a row and its version; empty for what was written here. */
const SOURCE_COLUMNS = ['change_id', 'device_id'] as const

const TYPES = {
  op: 'text',
  said_at: 'timestamptz',
  retired_cause: 'text',
  retired_reason: 'text',
  retired_confidence: 'float8',
  retired_by_version: 'int8',
} as const

/** Written out once: building a statement of 120 values anew cost more than running it. */
const STORED_COLUMNS = [...HEAD_COLUMNS, ...SOURCE_COLUMNS]
const KEPT_COLUMNS = [...VERSION_COLUMNS, ...SOURCE_COLUMNS]
const WRITE_VERSION = `WITH head AS (
    INSERT INTO loom.memory (${STORED_COLUMNS.join(', ')}) VALUES (${STORED_COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})
    ON CONFLICT (org, memory_id) DO UPDATE SET ${STORED_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
    RETURNING ${KEPT_COLUMNS.join(', ')})
  INSERT INTO loom.memory_version (${[...KEPT_COLUMNS, ...EXTRA_COLUMNS].join(', ')})
  SELECT ${KEPT_COLUMNS.join(', ')}, ${EXTRA_COLUMNS.map((column, at) => `$${STORED_COLUMNS.length + at + 1}::${TYPES[column]}`).join(', ')} FROM head`

/** Puts a head in place of the one before, and its version into the history, in one statement. */
export async function writeVersion(tx: Tx, head: Head, op: string, retirement?: Retirement): Promise<void> {
  const told = provenanceOf(tx)
  const own = told?.isOwn(head) ? told : null
  const row = { ...head, change_id: own?.changeId ?? '', device_id: own?.deviceId ?? '' }
  const none = { retired_cause: '', retired_reason: '', retired_confidence: null, retired_by_version: null }
  const extra = { op, said_at: own?.saidAt ?? null, ...none, ...retirement }
  const values = [...STORED_COLUMNS.map((column) => row[column]), ...EXTRA_COLUMNS.map((column) => extra[column])]
  await tx.executeQuery(CompiledQuery.raw(WRITE_VERSION, values))
}

/** Changes guards of a head, or who vouches for it; makes no version. */
export async function writeGuards(tx: Tx, org: string, memoryId: string, guards: Partial<GuardColumns>): Promise<void> {
  await tx
    .updateTable('memory')
    .set({ ...guards, rev: sql<bigint>`rev + 1` })
    .where('org', '=', org)
    .where('memory_id', '=', memoryId)
    .execute()
}

/** Holds the keys named against other processes until the transaction ends; in sorted order, so that no two wait for each other. */
export async function lockKeys(tx: Tx, kind: 'pglite' | 'postgres', names: readonly string[]): Promise<void> {
  // On PGlite the one connection is lock enough.
  if (kind === 'pglite') return
  for (const name of [...names].sort()) await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}
