import type { Policy } from '../verdict/settle.ts'

/**
 * What becomes of a change whose key moved on since it was made. The table of team "Settling one change", as code: pure,
 * and whole, so that the compiler finds a case that is missing.
 */

/** What a change does to its key: puts a value there, retires it, vouches for what it says, or neither. */
export type Effect = 'value' | 'retires' | 'vouches' | 'other'

export interface Divergence {
  readonly effect: Effect
  /** The head is served, or was retired since. */
  readonly head: 'live' | 'gone'
  /** Of the two, the change was said later; a tie is older. */
  readonly age: 'newer' | 'older'
}

export type Decision =
  /** It runs. `contested`: its value takes the head, and both stand until somebody settles it. */
  | { readonly kind: 'runs'; readonly contested: boolean }
  /** Its value is kept as a version that never was the head. */
  | {
      readonly kind: 'lost'
      readonly status: 'conflicted' | 'superseded'
      /** Opens a pair of the head and the lost version. */
      readonly opens: boolean
      /** The head is flagged until the pair is settled. */
      readonly flags: boolean
      /** The device takes its change back: the key was deleted meanwhile. */
      readonly reverted: boolean
    }
  | { readonly kind: 'refused' }

const RUNS: Decision = { kind: 'runs', contested: false }
const REFUSED: Decision = { kind: 'refused' }
const REPLACED: Decision = { kind: 'lost', status: 'superseded', opens: false, flags: false, reverted: false }
const REVERTED: Decision = { ...REPLACED, reverted: true }
const OPENED: Decision = { kind: 'lost', status: 'conflicted', opens: true, flags: false, reverted: false }

type Row = Readonly<Record<Divergence['age'], Decision>>

const LIVE_VALUE: Readonly<Record<Policy, Row>> = {
  flag: { newer: { kind: 'runs', contested: true }, older: { ...OPENED, flags: true } },
  newest_wins: { newer: RUNS, older: REPLACED },
  keep_existing: { newer: OPENED, older: OPENED },
}

const GONE_VALUE: Readonly<Record<Policy, Row>> = {
  flag: { newer: RUNS, older: REVERTED },
  newest_wins: { newer: RUNS, older: REVERTED },
  keep_existing: { newer: REVERTED, older: REVERTED },
}

const RETIRES: Readonly<Record<Policy, Row>> = {
  flag: { newer: REFUSED, older: REFUSED },
  newest_wins: { newer: RUNS, older: REFUSED },
  keep_existing: { newer: REFUSED, older: REFUSED },
}

export function settleDivergence({ effect, head, age }: Divergence, policy: Policy): Decision {
  switch (effect) {
    case 'value':
      return (head === 'live' ? LIVE_VALUE : GONE_VALUE)[policy][age]
    case 'retires':
      // Of a key that is retired already the operation says so itself.
      return head === 'live' ? RETIRES[policy][age] : RUNS
    case 'vouches':
      return head === 'live' ? REFUSED : RUNS
    case 'other':
      return RUNS
  }
}
