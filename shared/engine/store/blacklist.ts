import type { Selectable } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

export type PatternRow = Selectable<Tables['blacklist']>

/** Patterns that bind a namespace: its own, those of its org, and the global ones. Oldest first. */
export async function patternsBinding(db: Queryable, org: string, namespace: string): Promise<PatternRow[]> {
  return db
    .selectFrom('blacklist')
    .selectAll()
    .where((where) =>
      where.or([
        where.and([where('org', '=', org), where('scope', '=', 'namespace'), where('namespace', '=', namespace)]),
        where.and([where('org', '=', org), where('scope', '=', 'org')]),
        where.and([where('org', '=', '*'), where('scope', '=', 'global')]),
      ]),
    )
    .orderBy('created_at')
    .orderBy('blacklist_id')
    .execute()
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
