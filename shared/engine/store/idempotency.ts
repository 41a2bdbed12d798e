import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { LoomError } from '../../contract/errors.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'
import type { OpName } from '../../contract/registry.ts'
import { withBigints } from '../../contract/u64.ts'
import { compactJson } from '../../domain/claim/stored-form.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Tx } from '../db/database.ts'

/** How long an answer is kept for a repeat. */
export const KEPT_MS = 24 * 3600 * 1000
/** In place of the hash of a body whose answer was erased: no call has it, so a repeat is refused and never run again. */
const ERASED = ''
/** What is left of an answer that an erasure took: the key and the hash of its body stay taken. */
export const ERASED_ANSWER = ''
/** The same for an answer that held a secret, and so was never kept. */
const SECRET = 'secret'

export interface Repeatable {
  readonly org: string
  /** Token, or in single mode the actor. */
  readonly caller: string
  readonly op: OpName
  readonly key: string
  readonly bodySha256: string
  /** Where the call is; empty: anywhere in the org. */
  readonly namespace: string
}

export function hashBody(input: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(compactJson(input as Json))
    .digest('hex')
}

const WHY_REFUSED: Readonly<Record<string, string>> = {
  [ERASED]: 'and its answer was erased since',
  [SECRET]: 'and its answer, which held a secret, was not kept',
}

function refusedRepeat(why: string): LoomError {
  return new LoomError('IDEMPOTENCY_MISMATCH', `This Idempotency-Key came before ${why}. Use a new key for a new call.`)
}

/**
 * The answer kept for this key and body, or null.
 * @throws LoomError IDEMPOTENCY_MISMATCH when the key came before with another body, or its answer was erased.
 */
export async function keptAnswer(tx: Tx, call: Repeatable, now: Date): Promise<Record<string, unknown> | null> {
  const row = await tx
    .selectFrom('idempotency')
    .select(['body_sha256', 'answer'])
    .where('org', '=', call.org)
    .where('caller', '=', call.caller)
    .where('op', '=', call.op)
    .where('idempotency_key', '=', call.key)
    .where('created_at', '>', new Date(now.getTime() - KEPT_MS))
    .executeTakeFirst()
  if (!row) return null
  if (row.answer === ERASED_ANSWER) throw refusedRepeat(WHY_REFUSED[ERASED] ?? '')
  if (row.body_sha256 !== call.bodySha256) {
    const why = WHY_REFUSED[row.body_sha256] ?? 'with another body'
    throw refusedRepeat(why)
  }
  return withBigints(call.op, parseJson(row.answer) as Record<string, unknown>)
}

/**
 * Erases the answers kept for a repeat that name one of these rows, with the hash of the body that asked for them: an
 * answer quotes rows, and a body may hold the text that goes. The key stays taken.
 * @param which `quoting`: only answers that show text of rows
 */
export async function eraseKept(tx: Tx, org: string, memoryIds: readonly string[], which: 'all' | 'quoting'): Promise<void> {
  if (memoryIds.length === 0) return
  const quoting = which === 'all' ? sql`true` : sql`answer LIKE '%"excerpt%'`
  await sql`UPDATE loom.idempotency SET answer = '{}', body_sha256 = ${ERASED} WHERE org = ${org} AND ${quoting} AND EXISTS (
    SELECT 1 FROM regexp_matches(answer, '"(?:to_|source_)?memory_id":"([^"]+)"', 'g') AS named
    WHERE named[1] = any(${[...memoryIds]}::text[]))`.execute(tx)
}

/**
 * Keeps an answer in the write's own transaction, and drops what is older than a day.
 * @param how `secret` and `erased`: the answer is not kept, and a repeat refused
 * @throws LoomError IN_PROGRESS when the same call is committing elsewhere at this moment.
 */
export async function keepAnswer(
  tx: Tx,
  call: Repeatable,
  answer: Record<string, unknown>,
  now: Date,
  how: 'kept' | 'secret' | 'erased' = 'kept',
): Promise<void> {
  await tx
    .deleteFrom('idempotency')
    .where('created_at', '<=', new Date(now.getTime() - KEPT_MS))
    .execute()
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('idempotency')
    .values({
      org: call.org,
      caller: call.caller,
      op: call.op,
      idempotency_key: call.key,
      body_sha256: how === 'secret' ? SECRET : call.bodySha256,
      answer: how === 'secret' ? '{}' : how === 'erased' ? ERASED_ANSWER : stringifyJson(answer),
      created_at: now,
      namespace: call.namespace,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n)
    throw new LoomError('IN_PROGRESS', 'The same call is running. Ask again in a moment.', { retry_after_s: 1 })
}
