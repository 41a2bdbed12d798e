import type { Output } from '../../contract/declare.ts'
import type { memoryGet } from '../../contract/ops/memory/get.ts'
import { Row, type Row as RowShape } from '../../contract/row.ts'
import type { ReadContext } from '../handler.ts'
import { withinBound } from '../identity.ts'
import { roleIn } from '../rights.ts'
import { headAt, headById, type Head } from '../store/memories.ts'
import { readRow, restorableUntil, servedByOf } from '../store/row-view.ts'
import { sharedView, type Shared } from '../store/shelf.ts'
import { isExpired, isLive } from '../write/state.ts'

export type ReadAnswer = Output<typeof memoryGet>

export interface ReadInput {
  readonly if_version?: bigint | undefined
  readonly fields?: readonly string[] | undefined
  readonly follow: boolean
  readonly include_proposed: boolean
  readonly include_recall_breakdown: boolean
  /** The operation that answers. */
  readonly op: string
  /** A past version is shown with the status that it had. */
  readonly anyStatus?: boolean
}

const NOTHING = { found: false, unchanged: false, next: 'memory.search' } as const

function missing(head: Head | null, input: ReadInput, now: Date): ReadAnswer | null {
  if (head === null) return { ...NOTHING, reason: 'not_found' }
  if (input.anyStatus) return null
  if (head.status === 'tombstoned') {
    const until = restorableUntil(head)
    return {
      ...NOTHING,
      reason: 'deleted',
      next: until !== null && until > now ? `memory.restore(memory_key='${head.memory_key}')` : NOTHING.next,
    }
  }
  if (head.status === 'proposed' && !input.include_proposed) return { ...NOTHING, reason: 'proposed' }
  const retired = head.status === 'redirect' || head.status === 'superseded' || head.status === 'rejected'
  return !retired && isExpired(head, now) ? { ...NOTHING, reason: 'expired' } : null
}

const MOST_STEPS = 16

/** Redirects, duplicates and superseded rows lead to the canonical live row; none live: the row itself (VER029). */
async function follow(start: Head, context: ReadContext): Promise<Head> {
  let head = start
  for (let step = 0; step < MOST_STEPS; step++) {
    if (!['redirect', 'duplicate', 'superseded'].includes(head.status)) return isLive(head, context.now) ? head : start
    const id = head.status === 'duplicate' ? head.duplicate_of : head.superseded_by
    // A key moves within its identity.
    const next = id !== '' ? await headById(context.db, head.org, id) : await headAt(context.db, head, head.canonical_key)
    if (!next || !withinBound(context.caller, next) || roleIn(context.caller.claims, next.org, next.namespace) === null) return start
    head = next
  }
  return start
}

async function canonicalKeyOf(head: Head, context: ReadContext): Promise<string> {
  if (head.canonical_key !== '' || head.superseded_by === '') return head.canonical_key
  return (await headById(context.db, head.org, head.superseded_by))?.memory_key ?? ''
}

/** What memory.get and memory.get_by_id answer for the head that decides. */
export async function answerRead(head: Head | null, input: ReadInput, context: ReadContext): Promise<ReadAnswer> {
  const nothing = missing(head, input, context.now)
  if (nothing || head === null) return nothing ?? { ...NOTHING, reason: 'not_found' }
  const served = input.follow ? await follow(head, context) : head
  if (input.if_version !== undefined && input.if_version === served.version) return { found: true, unchanged: true, reason: '', next: '' }
  const row = {
    ...(await readRow(context.db, served, context.now)),
    canonical_key: await canonicalKeyOf(served, context),
    resolved_from: served.memory_id === head.memory_id ? '' : head.memory_key,
    ...(input.include_recall_breakdown && { recall_breakdown: await servedByOf(context.db, served) }),
  }
  context.parts.usage.served(served.org, served.memory_id, input.op)
  return shown(row, input)
}

/** What memory.get answers for a copy on the shared shelf. */
export function answerShared(shared: Shared, input: ReadInput): ReadAnswer {
  if (input.if_version !== undefined && input.if_version === shared.version) return { found: true, unchanged: true, reason: '', next: '' }
  // Reads of a copy are counted nowhere.
  return shown({ ...sharedView(shared), ...(input.include_recall_breakdown && { recall_breakdown: {} }) }, input)
}

function shown(row: RowShape, input: ReadInput): ReadAnswer {
  const known = input.fields?.filter((field) => field in Row.shape)
  const fields = known ? Object.fromEntries(known.map((field) => [field, row[field as keyof typeof row]])) : row
  const unknown = input.fields?.filter((field) => !(field in Row.shape)) ?? []
  return { found: true, unchanged: false, reason: '', next: '', ...fields, ...(unknown.length > 0 && { ignored_args: unknown }) }
}
