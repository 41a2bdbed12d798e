import { sql, type RawBuilder, type Selectable } from 'kysely'
import { LoomError } from '../../contract/errors.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { Identity } from '../identity.ts'

export type Scratch = Selectable<Tables['working_memory']>

const FIELDS = ['org', 'namespace', 'agent', 'user_id', 'session_id'] as const

export const scratchLock = (identity: Identity, key: string): string => `scratch:${FIELDS.map((field) => identity[field]).join('/')}/${key}`

/** The value under a key, expired or not: its version is never used again. */
export async function scratchAt(db: Queryable, identity: Identity, key: string): Promise<Scratch | null> {
  const { org, namespace, agent, user_id, session_id } = identity
  const row = await db
    .selectFrom('working_memory')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('agent', '=', agent)
    .where('user_id', '=', user_id)
    .where('session_id', '=', session_id)
    .where('key', '=', key)
    .executeTakeFirst()
  return row ?? null
}

/** An expired value is not there, swept or not. */
export const isThere = (row: Scratch | null, now: Date): row is Scratch => row !== null && row.expires_at > now

/** @throws LoomError PRECONDITION_FAILED with `current_version`; 0 asks for a free key. */
export function passVersion(key: string, live: Scratch | null, asked: bigint | undefined): void {
  const current = live?.version ?? 0n
  if (asked === undefined || asked === current) return
  throw new LoomError(
    'PRECONDITION_FAILED',
    `${key} ${live ? `is at version ${current}` : 'holds nothing'}, and not at version ${asked}. Read it again.`,
    {
      field: 'if_version',
      current_version: current,
    },
  )
}

export async function putScratch(tx: Tx, row: Omit<Scratch, 'erasure_seq'>): Promise<void> {
  const { value, bytes, version, updated_at, expires_at } = row
  await tx
    .insertInto('working_memory')
    .values(row)
    .onConflict((conflict) => conflict.columns([...FIELDS, 'key']).doUpdateSet({ value, bytes, version, updated_at, expires_at }))
    .execute()
}

export async function dropScratch(tx: Tx, row: Scratch): Promise<void> {
  await sql`DELETE FROM loom.working_memory WHERE org = ${row.org} AND namespace = ${row.namespace} AND agent = ${row.agent}
    AND user_id = ${row.user_id} AND session_id = ${row.session_id} AND key = ${row.key}`.execute(tx)
}

/** One page by key; `conditions` are over `w`. */
export async function scratchPage(
  db: Queryable,
  conditions: readonly RawBuilder<boolean>[],
  after: readonly string[] | null,
  limit: number,
): Promise<Scratch[]> {
  const beyond = after
    ? [
        sql<boolean>`(w.key COLLATE "C", w.agent COLLATE "C", w.user_id COLLATE "C", w.session_id COLLATE "C") > (${after[0]}, ${after[1]}, ${after[2]}, ${after[3]})`,
      ]
    : []
  const { rows } = await sql<Scratch>`SELECT w.* FROM loom.working_memory w WHERE ${sql.join([...conditions, ...beyond], sql` AND `)}
    ORDER BY w.key COLLATE "C", w.agent COLLATE "C", w.user_id COLLATE "C", w.session_id COLLATE "C" LIMIT ${limit}`.execute(db)
  return rows
}
