import { sql } from 'kysely'
import type { ReadContext } from '../handler.ts'
import { seenBy } from '../store/runs.ts'

/** Messages of a scope that wait for the language model: what they say is not in memory yet. Without a model none do. */
export async function pendingExtraction(namespaces: readonly string[], { db, identity, caller, parts }: ReadContext): Promise<number> {
  if (!parts.llm) return 0
  const { rows } = await sql<{ queued: number }>`SELECT coalesce(sum(q.messages), 0)::int AS queued FROM loom.extract_queue q
    WHERE q.org = ${identity.org} AND q.namespace = any(${[...namespaces]}::text[]) AND ${seenBy(caller, 'q')}`.execute(db)
  return rows[0]?.queued ?? 0
}
