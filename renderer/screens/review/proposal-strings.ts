import type { Decision } from '../../data/proposal.ts'
import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'

const runs = (amount: number): string => (amount === 1 ? 'one run' : `${count(amount, locale)} runs`)

export const PROPOSAL = {
  badge: 'Proposal',
  title: 'A fact on trial',
  lead: 'It is served to nobody who does not ask for proposals. Accept it to have it served like any other memory, or reject it.',
  side: 'the proposal',
  against: 'stands against it',
  more: (amount: number) => (amount === 1 ? 'and one other memory' : `and ${count(amount, locale)} other memories`),
  trial: 'Trial',
  noRuns: 'No graded run has relied on it yet.',
  tally: (passes: number, fails: number) => `${runs(passes)} passed, ${runs(fails)} failed.`,
  ungraded: (amount: number) => `${runs(amount)} more ${amount === 1 ? 'waits' : 'wait'} for a grade.`,
  why: 'Why',
  several: 'Several proposals hold this key, and a decision names a key alone. Decide them with memory.proposal_decide, naming the agent.',
  choices: { accept: 'Accept', reject: 'Reject' } satisfies Record<Decision, string>,
  does: (contradicts: boolean) =>
    contradicts
      ? 'Accept makes it a memory in conflict, which waits under Conflicts; nothing is retired. Reject keeps it from being served.'
      : 'Accept makes it a memory like any other. Reject keeps it from being served, and from being learnt again.',
  accepted: 'is accepted, and served from now on.',
  conflicted: 'is accepted, and waits under Conflicts.',
  duplicate: 'is accepted. Another memory says the same.',
  rejected: 'is rejected.',
  undone: (key: string) => `Undone: ${key} is on trial again.`,
  gone: 'Somebody decided it meanwhile.',
}
