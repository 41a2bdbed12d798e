import { isLoomError } from '../../../shared/contract/errors.ts'
import type { OutputOf } from '../../../shared/contract/registry.ts'
import { actorName } from '../../text/plain-words.ts'
import { dropped, type Choice, type OpenPair } from '../../data/pair.ts'
import { messageOf } from '../../text/message-of.ts'
import { MISSED, REFUSED, SETTLED } from './strings.ts'

/** What refusals of this call carry beside their code. */
interface Fields {
  readonly memory_key?: string
  readonly locked_by?: string
  readonly reason?: string
  readonly peers?: readonly { readonly memory_key: string }[]
}

type Answer = OutputOf<'conflicts.resolve'>

/** What became of a choice. `gone`: the pair is no longer there to choose of, so it does not come back. */
export type Outcome =
  | { readonly done: true; readonly answer: Answer }
  | { readonly done: false; readonly why: string; readonly gone: boolean }

export function outcomeOf(answer: Answer): Outcome {
  return answer.resolved ? { done: true, answer } : { done: false, why: MISSED[answer.reason], gone: true }
}

/** A refusal (lock, pin, changed since) or no answer at all: the choice is put back, with the reason. */
export function refusalOf(error: unknown): Outcome {
  return { done: false, why: whyNot(error), gone: false }
}

function whyNot(error: unknown): string {
  const { code, fields }: { code: string; fields: Fields } = isLoomError(error) ? error : { code: '', fields: {} }
  if (code === 'PRECONDITION_FAILED') return REFUSED.changed
  if (code === 'LOCKED' && fields.memory_key) {
    return REFUSED.locked(fields.memory_key, actorName(fields.locked_by ?? ''), fields.reason ?? '')
  }
  if (code === 'PINNED_CONFLICT' && fields.memory_key) return REFUSED.pinned(fields.memory_key)
  if (code === 'PINNED_CONFLICT' && fields.peers?.[0]) return REFUSED.againstPinned(fields.peers[0].memory_key)
  return REFUSED.unchanged(messageOf(error))
}

/** The sentence of the undo bar, in two parts: what it is about, and what happened. */
export function saidOf(pair: OpenPair, choice: Choice): { subject: string; said: string } {
  const { row, peer } = pair
  if (choice === 'keep_both') return { subject: row.memory_key, said: SETTLED.both(peer.memory_key) }
  if (choice === 'merge') return { subject: peer.memory_key, said: SETTLED.merged(row.memory_key) }
  const gone = dropped(pair, choice) ?? row
  const kept = gone === row ? peer : row
  return { subject: kept.memory_key, said: SETTLED.kept(gone.memory_key) }
}
