import { sql } from 'kysely'
import type { LoomError } from '../../../contract/errors.ts'
import type { ReadContext } from '../../handler.ts'
import { MOST_CANDIDATES, severalNamed } from '../../store/resolve.ts'
import { COLUMNS, all, narrowed, recordsOf, type FoundRecord } from './source.ts'

export type RecordCandidate = Pick<FoundRecord, 'org' | 'namespace' | 'agent' | 'user_id' | 'session_id' | 'record_key' | 'record_id'>

/** AMBIGUOUS_KEY naming up to 20 users that hold the key. */
export function ambiguousRecord(key: string, found: readonly RecordCandidate[]): LoomError {
  const message = `Records of ${found.length} users hold ${key}. Name user_id.`
  return severalNamed(message, found, ['record_key', 'record_id'], { field: 'user_id' })
}

/**
 * The one record of a key that the caller may see, now or as of then; null for none.
 * @throws LoomError AMBIGUOUS_KEY when several users hold it and the call names none
 */
export async function findRecord(
  schema: string,
  key: string,
  { asOf, tombstoned }: { readonly asOf?: string | undefined; readonly tombstoned: boolean },
  context: ReadContext,
): Promise<FoundRecord | null> {
  const live = tombstoned ? [] : [sql<boolean>`NOT r.tombstoned`]
  const { rows } = await sql<FoundRecord>`SELECT ${COLUMNS}, r.status FROM ${recordsOf(schema, asOf, context)}
    WHERE ${all([sql<boolean>`r.record_key = ${key}`, ...narrowed(context), ...live])} ORDER BY r.user_id LIMIT ${MOST_CANDIDATES + 1}`.execute(
    context.db,
  )
  if (rows.length > 1) throw ambiguousRecord(key, rows)
  return rows[0] ?? null
}
