import { sql, type RawBuilder } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** A key that a row had before, and the row that a read of it leads to. */
export interface FormerKey {
  readonly namespace: string
  readonly key: string
  readonly memoryId: string
}

/** Namespaces are moved through by hand: of more than this, the latest count. */
const MOST = 2_000

interface Row {
  readonly namespace: string
  readonly memory_key: string
  readonly memory_id: string
}

/** Each row is looked up by its key (LIMIT 1): joined, the planner reads all memories for the first redirect. */
export const formerKeysQuery = (org: string, namespaces: readonly string[]): RawBuilder<Row> => sql<Row>`
    SELECT r.namespace, r.memory_key, m.memory_id FROM (
      SELECT * FROM loom.memory
      WHERE org = ${org} AND namespace = any(${[...namespaces]}::text[]) AND canonical_key <> '' AND status = 'redirect' AND erased_by = ''
      ORDER BY updated_at DESC, memory_key LIMIT ${MOST}) r
    CROSS JOIN LATERAL (
      SELECT memory_id FROM loom.memory m WHERE m.org = r.org AND m.namespace = r.namespace AND m.agent = r.agent AND m.user_id = r.user_id
        AND m.session_id = r.session_id AND m.memory_key = r.canonical_key AND m.erased_by = '' LIMIT 1) m
    ORDER BY r.updated_at DESC, r.memory_key`

/** The redirects of some namespaces that lead to a row straight away, as memory.move keeps them, the latest first. */
export async function formerKeys(db: Queryable, org: string, namespaces: readonly string[]): Promise<FormerKey[]> {
  const { rows } = await formerKeysQuery(org, namespaces).execute(db)
  return rows.map((row) => ({ namespace: row.namespace, key: row.memory_key, memoryId: row.memory_id }))
}
