import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** A key that a row had before, and the row that a read of it leads to. */
export interface FormerKey {
  readonly namespace: string
  readonly key: string
  readonly memoryId: string
}

/** Namespaces are moved through by hand: of more than this, the latest count. */
const MOST = 2_000

/** The redirects of some namespaces that lead to a row straight away, as memory.move keeps them, the latest first. */
export async function formerKeys(db: Queryable, org: string, namespaces: readonly string[]): Promise<FormerKey[]> {
  const { rows } = await sql<{ namespace: string; memory_key: string; memory_id: string }>`
    SELECT r.namespace, r.memory_key, m.memory_id FROM loom.memory r
    JOIN loom.memory m ON m.org = r.org AND m.namespace = r.namespace AND m.agent = r.agent AND m.user_id = r.user_id
      AND m.session_id = r.session_id AND m.memory_key = r.canonical_key AND m.erased_by = ''
    WHERE r.org = ${org} AND r.namespace = any(${[...namespaces]}::text[]) AND r.canonical_key <> '' AND r.status = 'redirect'
      AND r.erased_by = ''
    ORDER BY r.updated_at DESC, r.memory_key LIMIT ${MOST}`.execute(db)
  return rows.map((row) => ({ namespace: row.namespace, key: row.memory_key, memoryId: row.memory_id }))
}
