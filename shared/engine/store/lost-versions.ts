import { CompiledQuery, sql } from 'kysely'
import { UNGUARDED, VERSION_COLUMNS } from '../db/columns.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Identity } from '../identity.ts'
import type { Head } from './memories.ts'
import type { Provenance } from './provenance.ts'

/** Versions that never were the head of their key. */

const COLUMNS = [...VERSION_COLUMNS, 'op', 'lost', 'change_id', 'device_id', 'said_at'] as const
const INSERT = `INSERT INTO loom.memory_version (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})`

/** Keeps a value in the history of its row without making it the head. */
export async function writeLostVersion(tx: Tx, row: Head, op: string, told: Provenance): Promise<void> {
  const version = {
    ...row,
    erasure_seq: told.erasureSeq,
    op,
    lost: true,
    change_id: told.changeId,
    device_id: told.deviceId,
    said_at: told.saidAt,
  }
  await tx.executeQuery(
    CompiledQuery.raw(
      INSERT,
      COLUMNS.map((column) => version[column]),
    ),
  )
}

/** The newest version of a row, lost ones too: no number of a key is used twice. */
export async function newestVersion(db: Queryable, org: string, memoryId: string): Promise<bigint> {
  const { rows } = await sql<{ newest: bigint | null }>`SELECT max(version) AS newest FROM loom.memory_version
    WHERE org = ${org} AND memory_id = ${memoryId}`.execute(db)
  return rows[0]?.newest ?? 0n
}

/** The newest lost version at a key of this identity, or under an id of its namespace, in the shape of a head; null where there is none. */
export async function lostAlone(
  db: Queryable,
  identity: Identity,
  named: { readonly key: string } | { readonly id: string },
): Promise<Head | null> {
  const row = await db
    .selectFrom('memory_version')
    .selectAll()
    .where('org', '=', identity.org)
    .where('namespace', '=', identity.namespace)
    .$if('id' in named, (query) => query.where('memory_id', '=', 'id' in named ? named.id : ''))
    .$if('key' in named, (query) =>
      query
        .where('agent', '=', identity.agent)
        .where('user_id', '=', identity.user_id)
        .where('session_id', '=', identity.session_id)
        .where('memory_key', '=', 'key' in named ? named.key : ''),
    )
    .where('lost', '=', sql.lit(true))
    .where('erased_by', '=', sql.lit(''))
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? { ...row, ...UNGUARDED, rev: 0n } : null
}
