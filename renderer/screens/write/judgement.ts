import type { OutputOf } from '../../../shared/contract/registry.ts'
import type { Problems } from './form-input.ts'

export type Answer = OutputOf<'memory.set'>
export type Finding = 'clear' | 'refines' | 'duplicate' | 'merge' | 'conflict' | 'rejected' | 'same'

/** How the text stands before anything is stored. */
export type Judgement =
  | { readonly kind: 'empty' }
  | { readonly kind: 'invalid'; readonly problems: Problems }
  | { readonly kind: 'secret' }
  | { readonly kind: 'checking' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'judged'; readonly finding: Finding; readonly answer: Answer }

/** Codes that say no to this text or key; any other failure is one of the way there, and worth another try. */
const REFUSALS = new Set([
  'BLACKLISTED',
  'PINNED_CONFLICT',
  'LOCKED',
  'CHAR_LIMIT_EXCEEDED',
  'KEY_HOLDS_FACT',
  'INVALID_ARGUMENT',
  'FORBIDDEN',
  'AMBIGUOUS_KEY',
])

export function fromError(error: Error & { code?: string }): Judgement {
  return REFUSALS.has(error.code ?? '') ? { kind: 'refused', message: error.message } : { kind: 'failed', message: error.message }
}

/** `unchanged`: the form holds what the row holds already. */
export function findingOf(answer: Answer, unchanged: boolean): Finding {
  if (unchanged) return 'same'
  switch (answer.conflict_verdict) {
    case 'merge':
    case 'duplicate':
    case 'conflict':
    case 'rejected':
      return answer.conflict_verdict
    case 'clear':
    case '':
      return answer.peers.some((peer) => peer.relation === 'refines') ? 'refines' : 'clear'
  }
}

/** True where saving needs no second thought: a save asked for during the check then goes ahead by itself. */
export function savesAtOnce(judgement: Judgement): boolean {
  return judgement.kind === 'judged' && (judgement.finding === 'clear' || judgement.finding === 'refines')
}
