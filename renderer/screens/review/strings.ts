import { isOneKey, type Choice, type OpenPair, type PairKind } from '../../data/pair.ts'
import type { Counts, ItemKind, QueueFilter } from '../../data/queue.ts'
import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'

const memories = (amount: number): string => (amount === 1 ? 'one other memory' : `${count(amount, locale)} other memories`)

export const QUEUE = {
  title: 'Review',
  label: 'Open items',
  pane: 'Review',
  kinds: 'Kinds',
  open: (amount: number) => (amount ? `${count(amount, locale)} open, newest first` : 'Nothing open'),
  filters: [
    ['all', 'All'],
    ['conflict', 'Conflicts'],
    ['duplicate', 'Duplicates'],
    ['sync', 'Changed on sync'],
    ['proposal', 'Proposals'],
    ['low_confidence', 'Unsure'],
  ] satisfies [QueueFilter, string][],
  tabs: [
    ['conflict', 'Conflicts'],
    ['proposal', 'Proposals'],
  ] satisfies [QueueFilter, string][],
  badges: { conflict: 'Conflict', duplicate: 'Duplicate', low_confidence: 'Unsure' } satisfies Record<PairKind, string>,
  refused: 'Not changed',
  against: { conflict: 'against', duplicate: 'same as', low_confidence: 'near' } satisfies Record<PairKind, string>,
  twoTexts: 'two texts of one key',
  by: (name: string) => `by ${name}`,
  failed: 'The queue cannot be read',
  stale: 'The queue could not be read again. What is shown may be settled already.',
  tryAgain: 'Try again',
  everyNamespace: 'of every namespace',
  noneOfKind: 'None of this kind',
  showAll: 'Show all',
}

export const PAIR = {
  label: 'To settle',
  place: (at: number, of: number) => `${count(at, locale)} of ${count(of, locale)}`,
  titles: {
    conflict: 'These two cannot both be true',
    duplicate: 'These two say the same',
    low_confidence: 'Loom is not sure about these two',
  } satisfies Record<PairKind, string>,
  leads: {
    conflict: 'Choose the one that holds. Nothing is lost: the other is retired, and can be restored for 14 days.',
    duplicate: 'One is enough. Nothing is lost: the other is retired, and can be restored for 14 days.',
    low_confidence: 'Nothing was changed, and nothing has to be: keep both, or choose the one that holds.',
  } satisfies Record<PairKind, string>,
  previous: 'Previous',
  next: 'Next',
  this: 'this one',
  that: 'that one',
  pinned: 'Pinned',
  locked: 'Locked',
  writtenBy: 'Written by',
  since: 'True since',
  notSaid: 'not said',
  recalled: 'Recalled',
  tags: 'Tags',
  never: 'never',
  times: (amount: number) => (amount === 1 ? 'once' : `${count(amount, locale)} times`),
  last: (when: string) => `last ${when}`,
  why: 'Why',
  howSure: 'How sure',
  noReason: 'The judge left no words.',
  withheld: 'Sensitive: open the memory to read it.',
  openMemory: 'Open the memory',
  versionsTitle: 'Two texts of one key',
  versionsLead: 'They were written apart, and met at the server. Choose the one that holds: the other stays in the history of the key.',
  keys: { move: 'next, previous', open: 'open the memory', undo: 'undo', all: 'all keys' },
}

/** What the main choice does, before it is made. */
export function doesOf({ row, peer, more }: OpenPair): { keep: string; retire: string; rest: string } {
  return {
    keep: row.memory_key,
    retire: peer.memory_key,
    rest: more > 0 ? `It also stands against ${memories(more)}, which stays to be settled.` : '',
  }
}

export const guardWords = (key: string, pinned: boolean): string =>
  `${key} is ${pinned ? 'pinned' : 'locked'}, so it cannot be the one that goes.`

export const doesNothing = 'Keep both leaves the two as they are. They are not raised again.'

export const versionsDo = (key: string): string => `Keep this leaves ${key} as it is. Keep that writes the other text as its next version.`

/** Keys of the choices, in the order of the buttons. */
const CHOICE_KEYS: readonly (readonly [Choice, string])[] = [
  ['keep_row', '1'],
  ['keep_peer', '2'],
  ['keep_both', '3'],
  ['merge', 'M'],
]

/** Two versions of one key cannot both be its text. */
export const choiceKeys = (pair: OpenPair): readonly (readonly [Choice, string])[] =>
  isOneKey(pair) ? CHOICE_KEYS.filter(([choice]) => choice !== 'keep_both') : CHOICE_KEYS

export const ZERO = {
  title: 'Nothing to review',
  next: 'New ones appear here when two memories disagree or repeat each other, or change on sync.',
  settled: (amount: number) =>
    amount === 0 ? '' : amount === 1 ? 'You settled one item just now. ' : `You settled ${count(amount, locale)} items just now. `,
  elsewhere: (amount: number, namespace: string) => `${count(amount, locale)} open in ${namespace}`,
  memories: 'Back to memories',
}

/** What the chips count: items on their way to being settled are no longer open. */
export function openCounts(counts: Counts, settling: readonly ItemKind[]): Counts {
  const left = { ...counts }
  for (const kind of settling) {
    left[kind]--
    left.all--
  }
  return left
}
