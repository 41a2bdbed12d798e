import { sql } from 'kysely'
import type { Queryable } from './database.ts'

/** Columns of few values, with the number assumed; every other indexed column is taken to differ in each row. */
const FEW = {
  org: 1,
  namespace: 8,
  agent: 8,
  user_id: 8,
  session_id: 32,
  erased_by: 1,
  status: 6,
  state: 2,
  kind: 2,
  axis: 2,
  model: 1,
  memory_type: 4,
  schema: 4,
  sensitivity: 3,
} as const

const NAMES = Object.keys(FEW)
  .map((column) => `'${column}'`)
  .join(', ')
const CASES = Object.entries(FEW)
  .map(([column, values]) => `WHEN '${column}' THEN ${values}`)
  .join(' ')

const COLUMNS = `pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'loom' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`

const ASSUME_SIZES = `SELECT pg_restore_relation_stats('schemaname', 'loom', 'relname', c.relname::text, 'relpages', 1,
    'reltuples', (CASE c.relkind WHEN 'i' THEN 100 ELSE 10 END)::real)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'loom' AND c.relkind IN ('r', 'i') AND c.reltuples <= 0`

/** Gives tables and indexes that are known to be empty a size again: they are about to grow, and nothing looks later. */
export async function assumeSizes(db: Queryable): Promise<void> {
  await sql.raw(ASSUME_SIZES).execute(db)
}

/**
 * Gives the tables of a PGlite assumed statistics. Nothing gathers real ones there by itself, and without them the
 * planner takes an index that was made on an empty table for an empty one, and a condition that nine rows of ten meet
 * for a rare one: a look-up by canonical text then read its whole namespace (8 ms at 3,000 rows, .05 with these). Sizes
 * are given as rows to a page, which the planner scales by the size that the files have. Costs .1 s, once a schema.
 */
export async function assumeStatistics(db: Queryable): Promise<void> {
  const { rows } = await sql
    .raw(
      `SELECT 1 FROM ${COLUMNS} AND a.attname IN (${NAMES})
         AND NOT EXISTS (SELECT 1 FROM pg_statistic s WHERE s.starelid = c.oid AND s.staattnum = a.attnum) LIMIT 1`,
    )
    .execute(db)
  if (rows.length === 0) return
  await sql
    .raw(
      `${ASSUME_SIZES};
       SELECT pg_restore_attribute_stats('schemaname', 'loom', 'relname', c.relname::text, 'attname', a.attname::text,
              'inherited', false, 'null_frac', 0::real, 'avg_width', 16, 'n_distinct', (CASE a.attname ${CASES} ELSE -1 END)::real)
         FROM ${COLUMNS}
          AND (a.attname IN (${NAMES}) OR EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND a.attnum = ANY (i.indkey)))
          AND NOT EXISTS (SELECT 1 FROM pg_statistic s WHERE s.starelid = c.oid AND s.staattnum = a.attnum)`,
    )
    .execute(db)
}
