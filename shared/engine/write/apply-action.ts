import type { Input } from '../../contract/declare.ts'
import type { memoryApply } from '../../contract/ops/memory/apply.ts'
import { LoomError } from '../../contract/errors.ts'
import { fold } from '../../domain/text/fold.ts'
import type { WriteContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { deleteRow } from './delete-row.ts'
import { passGuards } from './guards.ts'
import { isLockedSo, lockRow, passLoosening } from './lock-row.ts'
import { reviseRow } from './revise-row.ts'
import { sameExpiry, touchedExpiry, touchOf, touchRow } from './touch-row.ts'

type Call = Input<typeof memoryApply>

/**
 * What an action would do to a row, once its guards let it: work to run in the row's transaction, or null where the
 * row is so already.
 */
export type RowAction = (head: Head, context: WriteContext) => (() => Promise<unknown>) | null

const MOST_TAGS = 64

/** Tags are kept as given, and compared without case. */
function relabelled(tags: readonly string[], { tags: named, mode }: NonNullable<Call['label']>): string[] {
  const lower = (list: readonly string[]): Set<string> => new Set(list.map(fold))
  if (mode === 'remove') return tags.filter((tag) => !lower(named).has(fold(tag)))
  const unique = [...new Map(named.map((tag) => [fold(tag), tag])).values()]
  return mode === 'replace' ? unique : [...tags, ...unique.filter((tag) => !lower(tags).has(fold(tag)))]
}

function sameTags(a: readonly string[], b: readonly string[]): boolean {
  const lower = (list: readonly string[]): string => JSON.stringify([...new Set(list.map(fold))].sort())
  return lower(a) === lower(b)
}

function demoted(confidence: number, { confidence_factor: factor, confidence_delta: delta }: NonNullable<Call['demote']>): number {
  return Math.max(0, factor === undefined ? confidence - (delta ?? 0) : confidence * factor)
}

const refuse = (field: string, message: string): never => {
  throw new LoomError('INVALID_ARGUMENT', message, { field })
}

function checkBlocks(input: Call): void {
  for (const block of ['expire', 'lock', 'label', 'demote'] as const) {
    if (input[block] !== undefined && input.action !== block)
      refuse(block, `${block} belongs to action ${block}; this call's action is ${input.action}.`)
  }
}

function lockAction(input: Call, op: string, now: Date): RowAction {
  const until = input.lock?.until === undefined ? null : new Date(input.lock.until)
  if (until !== null && until <= now) refuse('lock.until', 'until must be ahead.')
  return (head, context) => {
    const lock = { mode: input.lock?.mode ?? 'read_only', reason: input.reason, lockedBy: context.actor, until } as const
    if (isLockedSo(head, lock, context.now)) return null
    passLoosening(head, lock, context)
    return () => lockRow(head, lock, op, context)
  }
}

function labelAction(input: Call, op: string): RowAction {
  const label = input.label ?? refuse('label', 'label is needed: the tags to add, replace or remove.')
  return (head, context) => {
    passGuards(head, 'relabel', context.now)
    const tags = relabelled(head.tags, label)
    if (tags.length > MOST_TAGS) refuse('label.tags', `The row would have ${tags.length} tags; ${MOST_TAGS} is the most.`)
    return sameTags(head.tags, tags) ? null : () => reviseRow(head, { tags, actor: context.actor }, op, context)
  }
}

function demoteAction(input: Call, op: string): RowAction {
  const demote = input.demote ?? refuse('demote', 'demote is needed: confidence_factor or confidence_delta.')
  if ((demote.confidence_factor === undefined) === (demote.confidence_delta === undefined)) {
    refuse('demote', 'Name confidence_factor or confidence_delta, one of them.')
  }
  return (head, context) => {
    passGuards(head, 'relabel', context.now)
    const confidence = demoted(head.confidence, demote)
    return confidence === head.confidence ? null : () => reviseRow(head, { confidence, actor: context.actor }, op, context)
  }
}

function expireAction(input: Call, op: string, now: Date): RowAction {
  const touch = touchOf(input.expire ?? refuse('expire', 'expire is needed: ttl_seconds or until.'), now, 'expire.')
  return (head, context) => {
    passGuards(head, 'change_expiry', context.now)
    return sameExpiry(head, touchedExpiry(head, touch)) ? null : () => touchRow(head, touch, op, context)
  }
}

function deleteAction(op: string): RowAction {
  return (head, context) => {
    passGuards(head, 'delete', context.now)
    return () => deleteRow(head, op, context)
  }
}

/** @throws LoomError INVALID_ARGUMENT for the block of another action, or none where the action needs one. */
export function actionOf(input: Call, op: string, now: Date): RowAction {
  checkBlocks(input)
  const make = {
    delete: () => deleteAction(op),
    expire: () => expireAction(input, op, now),
    lock: () => lockAction(input, op, now),
    label: () => labelAction(input, op),
    demote: () => demoteAction(input, op),
  }
  return make[input.action]()
}
