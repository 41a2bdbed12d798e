import { sql, type Selectable } from 'kysely'
import { v7 } from 'uuid'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { Identity } from '../identity.ts'
import type { EngineParts } from '../parts.ts'
import { lockKeys } from './memories.ts'

export type WorkingLease = Selectable<Tables['working_lease']>
type Place = Pick<Identity, 'org' | 'namespace'>

/**
 * The time by which leases run. Processes on one Postgres ask its clock, for their own may differ; the one process of a
 * PGlite has the clock that it was given.
 */
export async function leaseTime(db: Queryable, { database }: EngineParts, now: Date): Promise<Date> {
  if (database.kind === 'pglite') return now
  const { rows } = await sql<{ now: Date }>`SELECT date_trunc('milliseconds', clock_timestamp()) AS now`.execute(db)
  return rows[0]?.now ?? now
}

/** The lease of a name, held against every other call on it until the transaction ends. */
export async function holdLease(tx: Tx, { database }: EngineParts, { org, namespace }: Place, name: string): Promise<WorkingLease | null> {
  await lockKeys(tx, database.kind, [`lease:${org}/${namespace}/${name}`])
  const row = await tx
    .selectFrom('working_lease')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('name', '=', name)
    .executeTakeFirst()
  return row ?? null
}

export const isHeld = (lease: WorkingLease, now: Date): boolean => lease.lease_id !== '' && lease.until > now

/** A new holder: a new id, and a fence above every one before, whoever had the name. */
export async function takeLease(
  tx: Tx,
  identity: Identity,
  name: string,
  { fence, note, since, until }: Pick<WorkingLease, 'fence' | 'note' | 'since' | 'until'>,
): Promise<WorkingLease> {
  const { org, namespace, agent, user_id, session_id } = identity
  const holder = { lease_id: v7(), fence, agent, user_id, session_id, note, since, until }
  return tx
    .insertInto('working_lease')
    .values({ org, namespace, name, ...holder })
    .onConflict((conflict) => conflict.columns(['org', 'namespace', 'name']).doUpdateSet(holder))
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function writeLease(tx: Tx, { org, namespace, name }: WorkingLease, changes: Partial<WorkingLease>): Promise<void> {
  await tx
    .updateTable('working_lease')
    .set(changes)
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('name', '=', name)
    .execute()
}

/** Leases held in a namespace, by name. */
export async function heldLeases(db: Queryable, { org, namespace }: Place, now: Date): Promise<WorkingLease[]> {
  return db
    .selectFrom('working_lease')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('lease_id', '<>', '')
    .where('until', '>', now)
    .orderBy('name')
    .execute()
}
