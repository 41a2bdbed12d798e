import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { attached, before, inNamespace, isTarget, ofOrg, orphaned, placed, unstamped, type Condition, type Scope } from '../scope.ts'
import { BATCH, rows, type Store } from '../store.ts'

/** Heads, their history, and what is made of them whoever holds it. */

/** A version of a summary or profile that was built from a row of the scope, gone already or about to go. */
const derived = (t: string, scope: Scope): Condition => sql<boolean>`EXISTS (SELECT 1 FROM loom.memory_summary s
  WHERE s.org = ${scope.org} AND s.memory_id = ${sql.ref(`${t}.memory_id`)} AND s.version = ${sql.ref(`${t}.version`)}
    AND (${isTarget(scope, sql`s.source_id`)} OR EXISTS (SELECT 1 FROM loom.memory h WHERE h.org = ${scope.org} AND h.memory_id = s.source_id
      AND ${placed('h', scope)} AND ${before('h', scope)} AND ${unstamped('h', scope)})))`

const headsIn = (scope: Scope): Condition =>
  sql<boolean>`(${ofOrg('t', scope)} AND ${before('t', scope)} AND ${unstamped('t', scope)} AND (${placed('t', scope)} OR ${derived('t', scope)}))`

const versionsIn = (scope: Scope): Condition => sql<boolean>`(${ofOrg('t', scope)} AND ${before('t', scope)} AND ${unstamped('t', scope)}
  AND (${placed('t', scope)} OR ${derived('t', scope)} OR ${isTarget(scope, sql`t.memory_id`)}))`

/** Takes a batch of heads or versions, and notes their ids and keys for what still points at them. */
async function take(
  tx: Tx,
  table: 'memory' | 'memory_version',
  which: Condition,
  scope: Scope,
  now: Date,
): Promise<{ readonly count: number; readonly ids: readonly string[] }> {
  const name = sql.table(`loom.${table}`)
  // A row that lives on, without a version that was built from what goes, is no target.
  const isWhole =
    table === 'memory'
      ? sql`true`
      : sql`NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = ${scope.org} AND m.memory_id = picked.memory_id AND m.erased_by = '')`
  const erased = scope.purge
    ? sql`DELETE FROM ${name} t USING picked p WHERE t.ctid = p.place`
    : sql`UPDATE ${name} t SET tombstoned_at = coalesce(t.tombstoned_at, ${now}), erased_by = ${scope.erasureId} FROM picked p WHERE t.ctid = p.place`
  const { rows: taken } = await sql<{ memory_id: string }>`WITH picked AS (
      SELECT t.ctid AS place, t.memory_id, t.namespace, t.memory_key FROM ${name} t WHERE ${which} LIMIT ${BATCH} FOR UPDATE),
    noted AS (INSERT INTO loom.erasure_target (org, erasure_id, memory_id, namespace, memory_key)
      SELECT DISTINCT ON (memory_id) ${scope.org}, ${scope.erasureId}, memory_id, namespace, memory_key FROM picked WHERE ${isWhole}
      ON CONFLICT DO NOTHING)
    ${erased} RETURNING t.memory_id`.execute(tx)
  return { count: taken.length, ids: taken.map((row) => row.memory_id) }
}

const heads: Store = {
  ...rows('delete.memory', 'memory', headsIn),
  async erase(tx, scope, parts) {
    // What is built from erased rows goes with them, and what is built from that.
    let total = 0
    for (let last = -1; last !== 0 && total < BATCH;) {
      const { count, ids } = await take(tx, 'memory', headsIn(scope), scope, new Date(parts.clock()))
      for (const id of ids) {
        parts.index.remove(id)
        parts.collapses.remove(id)
      }
      last = count
      total += count
    }
    return total
  },
}

const versions: Store = {
  ...rows('delete.memory', 'memory_version', versionsIn),
  erase: async (tx, scope, parts) => (await take(tx, 'memory_version', versionsIn(scope), scope, new Date(parts.clock()))).count,
}

/** Copies on the shelf of a namespace of the scope, and those of its rows on any other. */
const shelved = (
  scope: Scope,
): Condition => sql<boolean>`(${ofOrg('t', scope)} AND (${orphaned('t', 'memory_id', scope)} OR (${before('t', scope)}
  AND (${placed('t', scope)} OR ${scope.userId === '' ? inNamespace('t', scope, 'from_namespace') : sql`t.user_id = ${scope.userId}`}))))`

/** Digests of a user or namespace of the scope, and any that tells of an erased row. */
const digests = (scope: Scope): Condition => sql<boolean>`(${ofOrg('t', scope)} AND ((${before('t', scope)} AND ${placed('t', scope)})
  OR EXISTS (SELECT 1 FROM unnest(t.memory_ids) AS told(id) WHERE ${isTarget(scope, sql`told.id`)})))`

export const MEMORY_STORES: readonly Store[] = [
  heads,
  versions,
  rows('delete.memory', 'memory_alias', (scope) => attached('t', 'memory_id', scope, false)),
  // Counters of a row that is written anew go on counting.
  rows('delete.memory', 'memory_usage', (scope) => orphaned('t', 'memory_id', scope)),
  rows('delete.memory', 'memory_outcome', (scope) => attached('t', 'memory_id', scope, false)),
  rows('delete.memory', 'memory_shelf', shelved),
  rows('delete.memory', 'memory_digest', digests),
  rows(
    'delete.memory',
    'memory_summary',
    (scope) => sql<boolean>`(${attached('t', 'memory_id', scope, true)} OR ${attached('t', 'source_id', scope, true)})`,
    {
      stamped: true,
    },
  ),
  rows('delete.embeddings', 'memory_embedding', (scope) => attached('t', 'memory_id', scope, true), { stamped: true }),
  rows('delete.embeddings', 'memory_chunk', (scope) => attached('t', 'memory_id', scope, true), { stamped: true }),
  rows('delete.embeddings', 'memory_lexical', (scope) => attached('t', 'memory_id', scope, false)),
]

/**
 * Empties what points at erased rows from rows outside: ids and keys of what they repeat or gave way to, and stored
 * reasons that may quote it. Answers how many rows that were.
 */
export async function clearPointers(tx: Tx, scope: Scope): Promise<number> {
  let cleared = 0
  for (const table of ['memory', 'memory_version'] as const) {
    const name = sql.table(`loom.${table}`)
    const gone = (column: string): Condition =>
      sql<boolean>`(${sql.ref(`t.${column}`)} <> '' AND ${isTarget(scope, sql.ref(`t.${column}`))})`
    const redirects = sql<boolean>`(t.status = 'redirect' AND EXISTS (SELECT 1 FROM loom.erasure_target x WHERE x.org = ${scope.org}
      AND x.erasure_id = ${scope.erasureId} AND x.namespace = t.namespace AND x.memory_key = t.canonical_key))`
    const extra =
      table === 'memory' ? sql`rev = rev + 1` : sql`retired_reason = CASE WHEN ${gone('superseded_by')} THEN '' ELSE t.retired_reason END`
    const done = await sql`UPDATE ${name} t SET ${extra},
        canonical_key = CASE WHEN ${gone('duplicate_of')} OR ${redirects} THEN '' ELSE t.canonical_key END,
        duplicate_of = CASE WHEN ${gone('duplicate_of')} THEN '' ELSE t.duplicate_of END,
        superseded_by = CASE WHEN ${gone('superseded_by')} THEN '' ELSE t.superseded_by END
      WHERE ${ofOrg('t', scope)} AND (${gone('duplicate_of')} OR ${gone('superseded_by')} OR (t.canonical_key <> '' AND ${redirects}))`.execute(
      tx,
    )
    cleared += Number(done.numAffectedRows ?? 0n)
  }
  return cleared
}
