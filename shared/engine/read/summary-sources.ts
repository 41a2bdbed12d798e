import { sql } from 'kysely'
import type { Input, Output } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import type { memoryConsolidate } from '../../contract/ops/memory/consolidate.ts'
import { fold } from '../../domain/text/fold.ts'
import type { Queryable } from '../db/database.ts'
import type { CallContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { isLive, lockOf } from '../write/state.ts'
import { hasTag, inSelector } from './rows-in-scope.ts'

type Call = Input<typeof memoryConsolidate>
type Skipped = Output<typeof memoryConsolidate>['skipped']

export interface Sources {
  /** Rows that the summary is built from, oldest first. */
  readonly heads: readonly Head[]
  readonly skipped: Skipped
}

/** Rows of `loom.memory AS m` that were built from no others. */
export const notSummary = sql<boolean>`NOT EXISTS (SELECT 1 FROM loom.memory_summary s
  WHERE s.org = m.org AND s.memory_id = m.memory_id AND s.version = m.version)`

function whySkipped(head: Head, input: Call, now: Date): Skipped[number]['reason'] | null {
  if (!isLive(head, now) || head.value === null) return 'not_live'
  if (head.sensitivity === 'high') return 'high'
  if (head.status === 'conflicted') return 'conflicted'
  if (!input.retire_sources) return null
  if (lockOf(head, now) !== null) return 'locked'
  return head.pinned ? 'pinned' : null
}

/**
 * The rows that a call names, but for those that a summary may not take and the summary itself.
 * @throws LoomError INVALID_ARGUMENT for rows of several users, or no or two ways to name them.
 */
export async function sourcesOf(input: Call, summaryKey: string, db: Queryable, context: CallContext): Promise<Sources> {
  const { now } = context
  const named = [input.keys, input.key_prefix, input.entity, input.tag].filter((one) => one !== undefined)
  if (named.length !== 1) throw new LoomError('INVALID_ARGUMENT', 'Name keys, key_prefix, entity or tag, one of them.', { field: 'keys' })
  const target = input.keys
    ? sql`m.memory_key = any(${[...input.keys]}::text[])`
    : input.key_prefix !== undefined
      ? sql`starts_with(m.memory_key, ${input.key_prefix})`
      : input.entity !== undefined
        ? sql`${fold(input.entity)} = any(m.entities)`
        : hasTag(fold(input.tag ?? ''))
  // A summary is built on no other, unless it is named.
  const own = input.keys ? sql`true` : notSummary
  const status = input.keys ? sql`m.status <> 'redirect'` : sql`m.status IN ('active', 'conflicted', 'duplicate')`
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m
    WHERE ${inSelector(context)} AND ${status} AND ${target} AND ${own}
      AND m.memory_type <> 'profile' AND m.memory_key <> ${summaryKey}
    ORDER BY m.created_at, m.memory_id LIMIT ${input.keys ? 1000 : input.limit}`.execute(db)
  const judged = rows.map((head) => ({ head, reason: whySkipped(head, input, now) }))
  const heads = judged.flatMap(({ head, reason }) => (reason === null ? [head] : [])).slice(0, input.limit)
  const skipped: Skipped = judged.flatMap(({ head, reason }) => (reason === null ? [] : [{ memory_key: head.memory_key, reason }]))
  const missing = (input.keys ?? []).filter((key) => !rows.some((row) => row.memory_key === key))
  for (const memory_key of new Set(missing)) skipped.push({ memory_key, reason: 'not_live' })
  const users = new Set(heads.map((head) => head.user_id))
  if (users.size > 1)
    throw new LoomError('INVALID_ARGUMENT', `The sources are of ${users.size} users, and a summary never mixes users. Name user_id.`, {
      field: 'user_id',
    })
  return { heads, skipped }
}
