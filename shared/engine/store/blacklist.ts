import { CompiledQuery, type Selectable } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

export type PatternRow = Selectable<Tables['blacklist']>

/** Every write asks for them: the statement is not built anew each time. */
const PATTERNS_BINDING = `SELECT * FROM loom.blacklist
  WHERE (org = $1 AND scope = 'namespace' AND namespace = $2) OR (org = $1 AND scope = 'org') OR (org = '*' AND scope = 'global')
  ORDER BY created_at, blacklist_id`

/** Patterns that bind a namespace: its own, those of its org, and the global ones. Oldest first. */
export async function patternsBinding(db: Queryable, org: string, namespace: string): Promise<PatternRow[]> {
  const { rows } = await db.executeQuery<PatternRow>(CompiledQuery.raw(PATTERNS_BINDING, [org, namespace]))
  return rows
}

/** A pattern of an org, or a global one, by its id. */
export async function patternById(db: Queryable, org: string, blacklistId: string): Promise<PatternRow | null> {
  const row = await db
    .selectFrom('blacklist')
    .selectAll()
    .where('org', 'in', [org, '*'])
    .where('blacklist_id', '=', blacklistId)
    .executeTakeFirst()
  return row ?? null
}
