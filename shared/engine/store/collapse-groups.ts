import { sql, type RawBuilder } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { Collapses } from '../index/collapse.ts'
import type { Head } from './memories.ts'
import { notExpired } from './not-expired.ts'

/** A row of a group: the canonical one stands for the others. */
export interface Grouped {
  readonly memoryId: string
  readonly canonicalId: string
  readonly version: bigint
}

/** Where groups are looked for; fields left out do not narrow. */
export interface CollapseScope {
  readonly org: string
  readonly namespace: string
  readonly agent?: string | undefined
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
  readonly now: Date
}

function inScope(scope: CollapseScope): RawBuilder<boolean> {
  const same = (column: string, value: string | undefined) => (value === undefined ? sql`true` : sql`m.${sql.raw(column)} = ${value}`)
  return sql<boolean>`m.org = ${scope.org} AND m.namespace = ${scope.namespace} AND m.erased_by = ''
    AND ${same('agent', scope.agent)} AND ${same('user_id', scope.userId)} AND ${same('session_id', scope.sessionId)}`
}

const isLive = (now: Date): RawBuilder<boolean> => sql<boolean>`m.status IN ('active', 'conflicted', 'duplicate')
  AND ${notExpired('m', now)}`

/** Live rows whose canonical text another live row of their type has, and both sides of sure open duplicates. */
export async function rowsToGroup(db: Queryable, scope: CollapseScope): Promise<Head[]> {
  const rows = sql`loom.memory m WHERE ${inScope(scope)} AND ${isLive(scope.now)}`
  const { rows: found } = await sql<Head>`SELECT m.* FROM ${rows} AND (
      (m.canonical_sha256 <> '' AND (m.memory_type, m.canonical_sha256) IN (
        SELECT m.memory_type, m.canonical_sha256 FROM ${rows} AND m.canonical_sha256 <> '' GROUP BY 1, 2 HAVING count(*) > 1))
      OR m.memory_id IN (
        SELECT p.row_id FROM loom.memory_pair p WHERE p.org = ${scope.org} AND p.kind = 'duplicate' AND p.state = 'open' AND NOT p.unsure
        UNION SELECT p.peer_id FROM loom.memory_pair p WHERE p.org = ${scope.org} AND p.kind = 'duplicate' AND p.state = 'open' AND NOT p.unsure))
    ORDER BY m.created_at, m.memory_id`.execute(db)
  return found
}

export async function sureDuplicates(db: Queryable, scope: CollapseScope): Promise<{ row_id: string; peer_id: string }[]> {
  return db
    .selectFrom('memory_pair')
    .select(['row_id', 'peer_id'])
    .where('org', '=', scope.org)
    .where('namespace', '=', scope.namespace)
    .where('kind', '=', 'duplicate')
    .where('state', '=', 'open')
    .where('unsure', '=', false)
    .execute()
}

/** Puts rows into groups; answers those that were not in theirs before. */
export async function saveGroups(tx: Tx, org: string, rows: readonly Grouped[]): Promise<string[]> {
  if (rows.length === 0) return []
  const { rows: changed } = await sql<{ memory_id: string }>`INSERT INTO loom.memory_lexical AS l (org, memory_id, collapse_group, version)
    SELECT ${org}, g.memory_id, g.canonical, g.version
    FROM unnest(${rows.map((row) => row.memoryId)}::text[], ${rows.map((row) => row.canonicalId)}::text[], ${rows.map((row) => row.version.toString())}::int8[])
      AS g(memory_id, canonical, version)
    ON CONFLICT (org, memory_id) DO UPDATE SET collapse_group = excluded.collapse_group, version = excluded.version
      WHERE (l.collapse_group, l.version) IS DISTINCT FROM (excluded.collapse_group, excluded.version)
    RETURNING memory_id`.execute(tx)
  return changed.map((row) => row.memory_id)
}

/** Rows of the selection that are in a group, with the group's canonical row. */
export async function groupedIn(db: Queryable, scope: CollapseScope): Promise<Grouped[]> {
  const { rows } = await sql<Grouped>`SELECT l.memory_id AS "memoryId", l.collapse_group AS "canonicalId", l.version
    FROM loom.memory_lexical l JOIN loom.memory m ON m.org = l.org AND m.memory_id = l.memory_id
    WHERE ${inScope(scope)} AND l.collapse_group <> ''`.execute(db)
  return rows
}

export async function dropGroups(tx: Tx, org: string, memoryIds: readonly string[]): Promise<void> {
  await sql`DELETE FROM loom.memory_lexical WHERE org = ${org} AND memory_id = any(${[...memoryIds]}::text[])`.execute(tx)
}

/** Fills what search goes by from the store, at start. */
export async function fillCollapses(db: Queryable, collapses: Collapses): Promise<void> {
  const { rows } = await sql<Grouped>`SELECT memory_id AS "memoryId", collapse_group AS "canonicalId", version FROM loom.memory_lexical
    WHERE collapse_group <> ''`.execute(db)
  for (const row of rows) collapses.put(row.memoryId, row.canonicalId, row.version)
}
