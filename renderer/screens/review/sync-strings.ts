import type { InboxChoice, InboxItem } from '../../../shared/contract/ops/sync/inbox.ts'
import { locale } from '../../state/locale.ts'
import { count } from '../../text/when.ts'

type Change = InboxItem['change']

/** Refusals after which the server keeps the text all the same, as a version that never held. */
const KEPT_THERE = new Set(['LOCKED', 'PINNED_CONFLICT', 'PRECONDITION_FAILED', 'EXPIRED', 'KEY_HOLDS_FACT'])

const hasText = ({ mine }: InboxItem): boolean => mine.value !== null

/** Where one's own text is if the server's stands. */
function whereMineIs(item: InboxItem): string {
  if (!hasText(item)) return ''
  if (item.change === 'value_replaced' || KEPT_THERE.has(item.code)) return ' Yours stays in the history of the key.'
  if (item.change === 'reverted') return ' Yours is on no server, and is let go of.'
  return ''
}

const CODES: Readonly<Record<string, string>> = {
  LOCKED: 'It is locked there.',
  PINNED_CONFLICT: 'It is pinned there, and pinned texts are not replaced.',
  PRECONDITION_FAILED: 'It was changed there meanwhile.',
  EXPIRED: 'Its time was over there.',
  KEY_HOLDS_FACT: 'Another fact holds the key there.',
  FORBIDDEN: 'You may not write there any more.',
  BLACKLISTED: 'A pattern of the team forbids this text.',
  CHAR_LIMIT_EXCEEDED: 'The text is longer than the team allows for this key.',
  NOT_FOUND: 'The memory is not there any more.',
}

export const SYNC = {
  badge: 'Changed on sync',
  titles: {
    verdict_changed: 'The team’s server judged this otherwise',
    value_replaced: 'The server kept another text',
    reverted: 'The server did not take your change',
    quarantined: 'The server could not run this change',
    erased: 'What this changed was erased for the whole team',
    lost_on_server: 'The server has lost what it had',
  } satisfies Record<Change, string>,
  changes: {
    verdict_changed: 'judged otherwise',
    value_replaced: 'text replaced',
    reverted: 'taken back',
    quarantined: 'set aside',
    erased: 'erased',
    lost_on_server: 'lost on the server',
  } satisfies Record<Change, string>,
  /** What happened, and where one's own text is now. */
  lead(item: InboxItem): string {
    switch (item.change) {
      case 'verdict_changed':
        if (item.server === null) return 'The team holds the same under another key, so nothing stands under this one.'
        return 'Your text is stored. Beside what the rest of the team wrote it stands otherwise than it did here.'
      case 'value_replaced':
        return 'Another change of the same key stands there. Yours is kept in the history of the key.'
      case 'reverted':
        return `${CODES[item.code] ?? 'A rule of the team stood against it.'} Here it was taken back as well.`
      case 'quarantined':
        return 'It waits here, with your text, and is not sent until you say so. Everything after it goes on.'
      case 'erased':
        return 'It is gone from this computer too. Nothing about it is kept.'
      case 'lost_on_server':
        return 'The server was set back to an earlier state. What it had taken from here, or told this computer, is kept here and is not sent unasked.'
    }
  },
  why: 'Why',
  judgedHere: 'Judged here',
  judgedThere: 'By the server',
  against: 'Beside',
  mine: 'You wrote',
  mineAt: (when: string) => `You wrote, ${when}`,
  keptAt: (when: string) => `Kept here, from ${when}`,
  didAt: (what: string, when: string) => `You did: ${what.toLowerCase()}, ${when}`,
  server: 'The server keeps',
  serverBy: (who: string) => `The server keeps, by ${who}`,
  noServer: 'Nothing under this key.',
  noText: 'No text of its own.',
  both: 'You wrote, and the server keeps',
  labels: { mine: 'Yours', server: 'The server’s', both: 'The text' },
  choices: (item: InboxItem): Readonly<Record<InboxChoice, string>> => ({
    mine: mineWords(item),
    accept: acceptWords(item.change),
    retry: 'Try again',
  }),
  does(item: InboxItem, choice: InboxChoice): string {
    const name = SYNC.choices(item)[choice]
    if (choice === 'retry') return `${name} sends your change once more, as it is.`
    if (choice === 'mine') return `${name} ${mineDoes(item)}`
    if (item.change === 'quarantined') return `${name} takes your change back: the server’s stands, and your text is let go of.`
    if (item.change === 'erased') return `${name} takes this notice away. Nothing else changes.`
    if (item.change === 'lost_on_server') return `${name} leaves it as the server has it now. What is kept here is let go of.`
    if (item.change === 'verdict_changed') return `${name} takes this notice away.${staysOpen(item)}`
    return `${name} changes nothing more.${whereMineIs(item)}`
  },
  said(item: InboxItem, choice: InboxChoice): string {
    if (choice === 'retry') return 'is sent once more.'
    if (choice === 'mine') return hasText(item) ? 'gets your text again, as a new version.' : 'is changed again as you did.'
    if (item.change === 'erased') return 'A notice of an erasure is taken away.'
    if (item.change === 'quarantined') return 'is as the server has it. Your change is taken back.'
    return item.change === 'verdict_changed' ? 'stands as the server judged it.' : 'stands as the server has it.'
  },
  saidAll: {
    accept: 'All that the server lost stands as it has it.',
    mine: 'All that the server lost is written to it again.',
    retry: 'All are sent once more.',
  } satisfies Record<InboxChoice, string>,
  all: (amount: number) => `All ${count(amount, locale)} that the server lost:`,
  allMine: 'Write all again',
  allAccept: 'Let all go',
  /** @param mine words of one's own text that the server's does not have; `server` the other way round */
  summary(item: InboxItem, mine: string, server: string): string {
    if (item.change === 'erased') return 'What you changed was erased for the whole team.'
    if (item.change === 'verdict_changed') return item.message || mine
    if (item.change === 'quarantined') return item.message || mine
    if (!mine) return item.message || SYNC.changes[item.change]
    if (item.change === 'lost_on_server') return mine
    return server ? `You wrote ${mine}; the server kept ${server}.` : `You wrote ${mine}; the server has nothing.`
  },
  noKey: 'An erased memory',
  offline: 'Offline: you can still decide. Your choice is sent with the next sync.',
  movedOn:
    'The memory changed again since, so nothing was written. Open it (O) to see how it stands now; write there, or keep the server’s here.',
  gone: 'is not in the inbox any more: it was decided elsewhere.',
  noMemory: 'This memory is not there any more.',
}

/** What is left to settle is settled as a pair of its own. */
function staysOpen({ server, peers }: InboxItem): string {
  if (server?.status !== 'conflicted' && server?.status !== 'duplicate') return ''
  const [peer] = peers
  return peer
    ? ` Which of it and ${peer.memory_key} holds stays to be settled in Review.`
    : ' Which text holds stays to be settled in Review.'
}

function mineWords(item: InboxItem): string {
  if (!hasText(item)) return 'Do it again'
  return item.change === 'lost_on_server' ? 'Write it again' : 'Use mine'
}

function acceptWords(change: Change): string {
  switch (change) {
    case 'verdict_changed':
      return 'Leave it so'
    case 'erased':
      return 'Seen'
    case 'quarantined':
      return 'Take mine back'
    case 'lost_on_server':
      return 'Let it go'
    case 'value_replaced':
    case 'reverted':
      return 'Keep the server’s'
  }
}

function mineDoes(item: InboxItem): string {
  if (!hasText(item)) return 'makes your change once more, on what the server has now.'
  if (item.server === null) return 'writes the text under the key anew. The server judges it as any other.'
  return 'writes the text as a new version on top of the server’s, which stays in the history. The server judges it as any other.'
}
