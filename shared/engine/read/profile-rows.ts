import { sql } from 'kysely'
import type { ReadContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { profilePrefix } from '../write/shaped/claims.ts'
import { isLive } from '../write/state.ts'
import { inSelector } from './rows-in-scope.ts'

const MOST = 100

/** The caller's own profile: the live rows under its subject, by key. */
export async function profileRows(context: ReadContext): Promise<Head[]> {
  const { rows } =
    await sql<Head>`SELECT m.* FROM loom.memory m WHERE ${inSelector({ ...context, given: {} })} AND m.memory_type = 'profile'
    AND starts_with(m.memory_key, ${profilePrefix(context.identity)}) AND m.status IN ('active', 'conflicted') AND m.sensitivity <> 'high'
    AND m.value IS NOT NULL ORDER BY m.memory_key, m.memory_id LIMIT ${MOST}`.execute(context.db)
  return rows.filter((head) => isLive(head, context.now))
}
