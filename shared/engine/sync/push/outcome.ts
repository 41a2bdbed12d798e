import type { Peer } from '../../../contract/common.ts'
import { ERROR_TABLE, type ErrorCode, type LoomError } from '../../../contract/errors.ts'
import type { ChangeOutcome } from '../../../contract/ops/sync/push.ts'
import type { Effect } from '../../../domain/sync/diverged.ts'

/** What an operation's answer, or its refusal, means for the device that ran it offline. */
export interface Verdict {
  readonly outcome: ChangeOutcome
  readonly code: string
  readonly message: string
  readonly peers: readonly Peer[]
  /** The row that holds the fact, after a merge. */
  readonly holderId: string
}

export const toldAs = (outcome: ChangeOutcome, rest: Partial<Verdict> = {}): Verdict => ({
  outcome,
  code: '',
  message: '',
  peers: [],
  holderId: '',
  ...rest,
})

const NOTHING_DONE = 'Nothing on the server was there to do this to.'

/** Each answer says in its own words that it did nothing. */
function didNothing(answer: Readonly<Record<string, unknown>>): boolean {
  const { reason } = answer
  if (typeof reason === 'string' && reason !== '') return true
  return ['found', 'tombstoned', 'resolved', 'removed', 'updated'].some((field) => answer[field] === false) || answer['touched'] === 0
}

/** What an answer means. A reinforced restatement and a run told twice changed nothing. */
export function verdictOf(answer: Readonly<Record<string, unknown>>): Verdict {
  const peers = (answer['peers'] as readonly Peer[] | undefined) ?? []
  if (answer['conflict_verdict'] === 'rejected' && answer['status'] === 'rejected') return toldAs('lost', { peers })
  if (typeof answer['merged_into_key'] === 'string' && answer['merged_into_key'] !== '')
    return toldAs('merged', { peers, holderId: String(answer['memory_id']) })
  if (answer['noop'] === true || answer['reason'] === 'repeated') return toldAs('noop', { peers })
  if (didNothing(answer)) return toldAs('refused', { code: 'NOT_FOUND', message: NOTHING_DONE })
  return toldAs('applied', { peers })
}

const CANNOT_RUN = new Set<ErrorCode>(['UNKNOWN_OPERATION', 'INVALID_ARGUMENT', 'MISSING_IDENTITY_FIELD'])
/** A field that this release does not have yet. */
const NOT_YET = new Set<ErrorCode>(['NOT_IMPLEMENTED', 'UNKNOWN_ARGUMENT'])
/** A value that one of these stands against is kept as a version. */
const LOSES = new Set<ErrorCode>(['LOCKED', 'PINNED_CONFLICT', 'PRECONDITION_FAILED', 'EXPIRED', 'KEY_HOLDS_FACT'])

/** True for what may go better another time: it is not remembered. */
export const isPassing = ({ code }: LoomError): boolean =>
  code !== 'NOT_IMPLEMENTED' && (ERROR_TABLE[code].retryable || ERROR_TABLE[code].category === 'server')

/** What a refusal means; not for one that may pass. */
export function refusalOf({ code, message }: LoomError, effect: Effect): Verdict {
  if (CANNOT_RUN.has(code)) return toldAs('quarantined', { code, message })
  if (NOT_YET.has(code)) return toldAs('quarantined', { code: 'INVALID_ARGUMENT', message })
  return toldAs(effect === 'value' && LOSES.has(code) ? 'lost' : 'refused', { code, message })
}
