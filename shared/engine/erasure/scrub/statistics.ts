import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

const WITH_VALUES = `(stavalues1 IS NOT NULL OR stavalues2 IS NOT NULL OR stavalues3 IS NOT NULL OR stavalues4 IS NOT NULL
  OR stavalues5 IS NOT NULL)`

/**
 * Forgets what the planner knows of our columns where it holds values: most common values and histograms are parts of
 * rows. Postgres 18 has a function for it; before, it takes a superuser, and where Loom's role is none the statistics
 * of a table stay until it is analyzed with rows in it.
 */
export async function forgetStatistics(db: Queryable): Promise<void> {
  const { rows } = await sql<{ version: number; superuser: boolean }>`SELECT current_setting('server_version_num')::int AS version,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser`.execute(db)
  const [{ version, superuser } = { version: 0, superuser: false }] = rows
  if (superuser)
    await sql
      .raw(
        `DELETE FROM pg_catalog.pg_statistic s USING pg_class c, pg_namespace n WHERE c.oid = s.starelid AND n.oid = c.relnamespace
           AND n.nspname = 'loom' AND ${WITH_VALUES}`,
      )
      .execute(db)
  else if (version >= 180_000)
    await sql
      .raw(
        `SELECT pg_clear_attribute_stats('loom', tablename::text, attname::text, inherited) FROM pg_stats
          WHERE schemaname = 'loom' AND (most_common_vals IS NOT NULL OR histogram_bounds IS NOT NULL OR most_common_elems IS NOT NULL)`,
      )
      .execute(db)
}
