import { sql, type Kysely } from 'kysely'
import { LoomError } from '../../contract/errors.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { STAMP_ROWS } from './row-numbers.ts'
import type { Tables } from './tables.ts'

/** Any number; the same in every process, so that two starters take turns. */
const MIGRATION_LOCK = 7_208_131n

/** Number of the newest migration this build knows. */
export const SCHEMA_VERSION = Math.max(...MIGRATIONS.map((migration) => migration.version))

/**
 * Brings the schema up to date, forward only, each migration in its own transaction. The version row goes in first:
 * of two processes starting at once one wins, the other finds the work done.
 * @param before called before a database of an older schema is changed, with that schema; a throw leaves it as it is
 * @throws when the database was migrated by a newer Loom than this one, which is left as it is.
 */
export async function migrate(db: Kysely<Tables>, before?: (from: number) => Promise<void>): Promise<void> {
  const from = await appliedVersion(db)
  if (from > SCHEMA_VERSION)
    throw new LoomError(
      'UNAVAILABLE',
      `The data was written by a newer Loom (schema ${from}, this build knows ${SCHEMA_VERSION}). Start that version, or a newer one.`,
      { store_fault: 'newer_schema' },
    )
  if (from === SCHEMA_VERSION && (await isWhole(db))) return
  if (from > 0 && from < SCHEMA_VERSION) await before?.(from)
  for (const migration of MIGRATIONS) {
    await db.transaction().execute(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
      await sql
        .raw(
          `CREATE SCHEMA IF NOT EXISTS loom;
           CREATE TABLE IF NOT EXISTS loom.schema_migration (version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
        )
        .execute(tx)
      const taken = await sql`INSERT INTO loom.schema_migration (version, name) VALUES (${migration.version}, ${migration.name})
        ON CONFLICT DO NOTHING`.execute(tx)
      if (taken.numAffectedRows === 1n) await sql.raw(migration.sql).execute(tx)
    })
  }
  await db.transaction().execute(async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(tx)
    await sql.raw(STAMP_ROWS).execute(tx)
  })
}

/** Whether no migration is missing below the newest. */
async function isWhole(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ applied: number }>`SELECT count(*)::int AS applied FROM loom.schema_migration`.execute(db)
  return rows[0]?.applied === MIGRATIONS.length
}

/** Number of the newest migration that a database has; 0 for an empty one. */
export async function appliedVersion(db: Kysely<Tables>): Promise<number> {
  const { rows: tables } = await sql<{ there: boolean }>`SELECT to_regclass('loom.schema_migration') IS NOT NULL AS there`.execute(db)
  if (!tables[0]?.there) return 0
  const { rows } = await sql<{ version: number }>`SELECT coalesce(max(version), 0)::int AS version FROM loom.schema_migration`.execute(db)
  return rows[0]?.version ?? 0
}
