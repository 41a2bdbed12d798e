import { createHash } from 'node:crypto'
import { LoomError } from '../../contract/errors.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'
import type { OpName } from '../../contract/registry.ts'
import { withBigints } from '../../contract/u64.ts'
import { compactJson } from '../../domain/claim/stored-form.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Tx } from '../db/database.ts'

/** How long an answer is kept for a repeat. */
export const KEPT_MS = 24 * 3600 * 1000

export interface Repeatable {
  readonly org: string
  /** Token, or in single mode the actor. */
  readonly caller: string
  readonly op: OpName
  readonly key: string
  readonly bodySha256: string
}

export function hashBody(input: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(compactJson(input as Json))
    .digest('hex')
}

/**
 * The answer kept for this key and body, or null.
 * @throws LoomError IDEMPOTENCY_MISMATCH when the key came before with another body.
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
  if (row.body_sha256 !== call.bodySha256) {
    throw new LoomError('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key came before with another body. Use a new key for a new call.')
  }
  return withBigints(call.op, parseJson(row.answer) as Record<string, unknown>)
}

/**
 * Keeps an answer in the write's own transaction, and drops what is older than a day.
 * @throws LoomError IN_PROGRESS when the same call is committing elsewhere at this moment.
 */
export async function keepAnswer(tx: Tx, call: Repeatable, answer: Record<string, unknown>, now: Date): Promise<void> {
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
      body_sha256: call.bodySha256,
      answer: stringifyJson(answer),
      created_at: now,
      erasure_seq: 0n,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n)
    throw new LoomError('IN_PROGRESS', 'The same call is running. Ask again in a moment.', { retry_after_s: 1 })
}
