import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { Identity } from '../identity.ts'
import type { Completion, LanguageModel, Prompt } from '../llm/port.ts'
import { lockKeys } from './memories.ts'
import { sha256 } from './sha256.ts'

/** An answer is kept for the same question of the same user, so long. */
const KEPT_MS = 7 * 24 * 3_600_000
/** A call that scrubs is over within this, by the time at which it began. */
const SCRUBBING_MS = 60_000

export function promptHash({ provider, model }: LanguageModel, { system, user, maxTokens }: Prompt): string {
  return sha256(JSON.stringify([provider, model, system, user, maxTokens]))
}

export async function keptAnswer(
  db: Queryable,
  { org, namespace, user_id }: Identity,
  hash: string,
  now: Date,
): Promise<Completion | null> {
  const row = await db
    .selectFrom('llm_cache')
    .select(['answer', 'tokens_in', 'tokens_out'])
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('user_id', '=', user_id)
    .where('prompt_sha256', '=', hash)
    .where('at', '>', new Date(now.getTime() - KEPT_MS))
    .executeTakeFirst()
  return row ? { text: row.answer, tokensIn: Number(row.tokens_in), tokensOut: Number(row.tokens_out) } : null
}

/** Keeps an answer for a week; those that are older go. */
export async function keepAnswer(tx: Tx, place: Identity, hash: string, answer: Completion, now: Date): Promise<void> {
  const { org, namespace, agent, user_id, session_id } = place
  await sql`DELETE FROM loom.llm_cache WHERE org = ${org} AND at <= ${new Date(now.getTime() - KEPT_MS)}`.execute(tx)
  const kept = {
    answer: answer.text,
    tokens_in: BigInt(answer.tokensIn),
    tokens_out: BigInt(answer.tokensOut),
    at: now,
  }
  await tx
    .insertInto('llm_cache')
    .values({ org, namespace, agent, user_id, session_id, prompt_sha256: hash, ...kept })
    .onConflict((conflict) => conflict.columns(['org', 'namespace', 'user_id', 'prompt_sha256']).doUpdateSet(kept))
    .execute()
}

/** Holds the answers of an org against other processes: none is kept while something that it may quote is scrubbed. */
export async function lockAnswers(tx: Tx, kind: 'pglite' | 'postgres', org: string): Promise<void> {
  await lockKeys(tx, kind, [`llm_cache/${org}`])
}

/** Whether content was scrubbed at about this time or since, in what a caller may have read before. */
export async function isScrubbedSince(db: Queryable, org: string, since: Date): Promise<boolean> {
  const { rows } = await sql<{ scrubbed: boolean }>`SELECT EXISTS (SELECT 1 FROM loom.audit
    WHERE org = ${org} AND op IN ('memory.redact', 'worker:expiry') AND at >= ${new Date(since.getTime() - SCRUBBING_MS)}) AS scrubbed`.execute(
    db,
  )
  return rows[0]?.scrubbed === true
}

/** Drops every answer of an org: one may quote rows of a namespace that it was not asked in. */
export async function forgetAnswers(tx: Tx, kind: 'pglite' | 'postgres', org: string): Promise<void> {
  await lockAnswers(tx, kind, org)
  await tx.deleteFrom('llm_cache').where('org', '=', org).execute()
}
