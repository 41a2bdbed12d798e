import { LoomError } from '../../../contract/errors.ts'
import type { Decision } from '../../../domain/sync/diverged.ts'
import { withinBound } from '../../identity.ts'
import type { WriteContext } from '../../handler.ts'
import { roleIn } from '../../rights.ts'
import { aliasedTo, keepAlias } from '../../store/aliases.ts'
import { headAt, headById, type Head } from '../../store/memories.ts'
import type { Provenance } from '../../store/provenance.ts'
import { keepChange, type KeptChange } from '../../store/sync-changes.ts'
import type { ChangeResult, PushCall } from './call.ts'
import type { Verdict } from './outcome.ts'
import type { ReadChange } from './read-change.ts'
import { EMPTY } from './result.ts'
import { typedRowOf } from './typed-row.ts'
import { rowNow, type RowNow } from './row-now.ts'

/** A change in its transaction: what it stands on, and what is decided of it. */
export interface Scene {
  readonly read: ReadChange
  readonly push: PushCall
  readonly write: WriteContext
  readonly base: bigint | null
  /** Head of its key before it. */
  readonly head: Head | null
  readonly decision: Decision
  readonly told: Provenance
  /** A fence of its scope that its device did not know stands. */
  readonly fenced: boolean
}

/** What is left of a run beside its verdict. */
interface Left {
  /** The version that did not become the head. */
  readonly lost?: Head
  readonly answer?: Readonly<Record<string, unknown>>
}

const MEANWHILE = 'The change was settled, or its row went, while it was looked at.'

/** Ends the transaction of a change that is to be looked at anew. */
export const settledMeanwhile = (): LoomError => new LoomError('IN_PROGRESS', MEANWHILE, { again: true })
export const isSettledMeanwhile = (error: unknown): boolean => error instanceof LoomError && error.fields['again'] === true

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

async function headAfter({ change, identity, key }: ReadChange, { org }: PushCall, { tx }: WriteContext): Promise<Head | null> {
  if (key !== '') return headAt(tx, identity, key)
  if (change.memory_id === '') return null
  return (await headById(tx, org, change.memory_id)) ?? headById(tx, org, (await aliasedTo(tx, org, change.memory_id)) ?? '')
}

async function rowAfter(
  read: ReadChange,
  head: Head | null,
  answer: NonNullable<Left['answer']>,
  { tx }: WriteContext,
): Promise<RowNow | null> {
  const pattern = text(answer['blacklist_id'])
  const typed = typedRowOf(read, answer)
  if (typed) return rowNow(tx, typed.shape, typed.key)
  if (pattern !== '') return rowNow(tx, 'blacklist', [answer['scope'] === 'global' ? '*' : read.identity.org, pattern])
  return head && rowNow(tx, 'memory', [head.org, head.memory_id])
}

/** Keeps the outcome in the change's own transaction, and answers it with the row as it now is. */
export async function conclude(
  { read, push, write, base, told }: Scene,
  { outcome, code, message, peers, holderId }: Verdict,
  { lost, answer = {} }: Left = {},
): Promise<ChangeResult> {
  const { change, key } = read
  const { tx, now, caller } = write
  const found = outcome === 'erased' ? null : await headAfter(read, push, write)
  const head = found && roleIn(caller.claims, found.org, found.namespace) !== null && withinBound(caller, found) ? found : null
  const ran = outcome === 'applied' || outcome === 'noop'
  const shown = outcome === 'merged' ? { memory_id: holderId, version: answer['version'] as bigint } : (lost ?? head)
  const kept: KeptChange = {
    org: push.org,
    change_id: change.change_id,
    device_id: push.deviceId,
    outcome,
    code,
    conflict_verdict: lost?.conflict_verdict ?? (outcome === 'merged' ? 'merge' : ran ? (head?.conflict_verdict ?? '') : ''),
    status: lost?.status ?? (ran ? (head?.status ?? '') : ''),
    memory_id: shown?.memory_id ?? '',
    holder_id: holderId,
    version: ran || lost || outcome === 'merged' ? (shown?.version ?? null) : null,
    base_version: base,
    at: now,
  }
  const row = await rowAfter(read, head, answer, write)
  if (!(await keepChange(tx, kept))) throw settledMeanwhile()
  if (head && key !== '' && change.memory_id !== '' && change.memory_id !== head.memory_id)
    await keepAlias(tx, push.org, change.memory_id, head.memory_id, now, told.erasureSeq)
  return {
    ...EMPTY,
    change_id: change.change_id,
    outcome,
    code,
    message,
    conflict_verdict: kept.conflict_verdict as ChangeResult['conflict_verdict'],
    status: kept.status,
    merged_into_key: outcome === 'merged' ? text(answer['merged_into_key']) : '',
    peers: [...peers],
    memory_id: kept.memory_id,
    version: kept.version,
    row,
    current_sha256: code === 'PRECONDITION_FAILED' ? text(answer['current_sha256']) || (head?.content_sha256 ?? '') : null,
  }
}
