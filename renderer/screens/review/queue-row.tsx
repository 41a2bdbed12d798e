import { memo, type ReactNode } from 'react'
import type { SyncItem } from '../../data/inbox.ts'
import { isOneKey, type OpenPair } from '../../data/pair.ts'
import type { OpenProposal } from '../../data/proposal.ts'
import { keyOf, type OpenItem } from '../../data/queue.ts'
import { locale } from '../../state/locale.ts'
import { actorName, pairSureness, writerName } from '../../text/plain-words.ts'
import { claimText } from '../../text/value-text.ts'
import { dateAndTime, listDate } from '../../text/when.ts'
import { QUEUE as say } from './strings.ts'
import { differing, mineText, serverText } from './sync-side.tsx'
import { PROPOSAL } from './proposal-strings.ts'
import { SYNC } from './sync-strings.ts'

export const queueRowId = (id: string): string => `open-${id}`

interface QueueRowProps {
  readonly of: OpenItem
  readonly index: number
  readonly total: number
  readonly active: boolean
  readonly refused: boolean
  readonly now: Date
  readonly you: string
  readonly onChoose: (id: string) => void
}

/** What the row says below its key. */
interface Lines {
  readonly badge: string
  readonly what: string
  readonly rest: ReactNode
}

function linesOfPair(pair: OpenPair, you: string): Lines {
  const { kind, row, peer, reason } = pair
  const sure = pairSureness(pair)
  return {
    badge: say.badges[kind],
    what: reason,
    rest: (
      <>
        {isOneKey(pair) ? (
          say.twoTexts
        ) : (
          <>
            {say.against[kind]} <bdi>{peer.memory_key}</bdi>
          </>
        )}
        {sure && kind !== 'low_confidence' && ` · ${sure.toLowerCase()}`} · <bdi>{say.by(writerName(row, you))}</bdi>
      </>
    ),
  }
}

function linesOfProposal({ row, peer, reason }: OpenProposal, you: string): Lines {
  return {
    badge: PROPOSAL.badge,
    what: peer || row.value === null ? reason : claimText(row.value),
    rest: (
      <>
        {peer && (
          <>
            {say.against.conflict} <bdi>{peer.memory_key}</bdi> ·{' '}
          </>
        )}
        <bdi>{say.by(writerName(row, you))}</bdi>
      </>
    ),
  }
}

function linesOf(of: OpenItem, you: string): Lines {
  if (of.kind === 'sync') return linesOfSync(of)
  return of.kind === 'proposal' ? linesOfProposal(of, you) : linesOfPair(of, you)
}

function linesOfSync({ item }: SyncItem): Lines {
  const who = actorName(item.server?.actor ?? '')
  return {
    badge: SYNC.badge,
    what: SYNC.summary(item, differing(mineText(item), serverText(item)), differing(serverText(item), mineText(item))),
    rest: (
      <>
        {item.identity.namespace && (
          <>
            <bdi>{`${item.identity.org}/${item.identity.namespace}`}</bdi> ·{' '}
          </>
        )}
        {SYNC.changes[item.change]}
        {who && (
          <>
            {' · '}
            <bdi>{say.by(who)}</bdi>
          </>
        )}
      </>
    ),
  }
}

/** One item of the queue: its key, why it waits, and what it stands against. */
export const QueueRow = memo(function QueueRow({ of, index, total, active, refused, now, you, onChoose }: QueueRowProps) {
  const { id, kind, at } = of
  const { badge, what, rest } = linesOf(of, you)
  return (
    // The list holds the focus and names its active row; a row is never a stop of its own.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={queueRowId(id)}
      role="option"
      aria-selected={active}
      aria-setsize={total}
      aria-posinset={index + 1}
      className={active ? 'row on' : 'row'}
      onClick={() => onChoose(id)}
    >
      <div className="k">
        {keyOf(of) ? <code dir="auto">{keyOf(of)}</code> : <span>{SYNC.noKey}</span>}
        <span className={kind === 'conflict' ? 'badge warn' : 'badge'}>{badge}</span>
        {refused && <span className="badge bad">{say.refused}</span>}
        <time dateTime={at} title={dateAndTime(at, locale)}>
          {listDate(at, now, locale)}
        </time>
      </div>
      <div className="v" dir="auto">
        {what}
      </div>
      <div className="tags">
        <bdi>{rest}</bdi>
      </div>
    </div>
  )
})
