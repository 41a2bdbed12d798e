import type { InboxItem } from '../../../shared/contract/ops/sync/inbox.ts'
import { isSameText } from '../../data/inbox.ts'
import { Differing } from '../../parts/marked.tsx'
import { locale } from '../../state/locale.ts'
import { actorName, operationWords } from '../../text/plain-words.ts'
import { claimText } from '../../text/value-text.ts'
import { agoWords } from '../../text/sync-words.ts'
import { dateAndTime } from '../../text/when.ts'
import { differingWords } from '../../text/word-diff.ts'
import { SYNC as say } from './sync-strings.ts'

interface SidesProps {
  readonly item: InboxItem
  readonly now: Date
}

const textOf = (value: InboxItem['mine']['value']): string => (value === null ? '' : claimText(value))

export const mineText = ({ mine }: InboxItem): string => textOf(mine.value)
export const serverText = ({ server }: InboxItem): string => textOf(server?.value ?? null)

/** The words of a text that the other does not have, for a line; all of it where they share none or all. */
export function differing(text: string, other: string): string {
  const words = differingWords(text, other).filter(({ kind }) => kind === 'new')
  return (words.map((piece) => piece.text.trim()).join(' … ') || text).replace(/[.,;:!?]+$/, '')
}

function MineHead({ item: { mine, op, change }, now }: SidesProps) {
  if (!mine.recorded_at) return say.mine
  const when = agoWords(mine.recorded_at, now, locale)
  return (
    <time dateTime={mine.recorded_at} title={dateAndTime(mine.recorded_at, locale)}>
      {change === 'lost_on_server' ? say.keptAt(when) : mine.value === null ? say.didAt(operationWords(op), when) : say.mineAt(when)}
    </time>
  )
}

/** What was written here beside what the server holds, with the words marked that the other does not have. */
export function SyncSides({ item, now }: SidesProps) {
  const [mine, server] = [mineText(item), serverText(item)]
  const who = actorName(item.server?.actor ?? '')
  if (isSameText(item)) return <SameText text={mine} />
  return (
    <div className="pair texts">
      <section className="side" aria-label={say.labels.mine}>
        <header>
          {item.choices.includes('mine') && <kbd aria-hidden="true">1</kbd>}
          <span>
            <MineHead item={item} now={now} />
          </span>
        </header>
        {mine ? (
          <p dir="auto">
            <Text text={mine} other={server} />
          </p>
        ) : (
          <p className="q">{say.noText}</p>
        )}
      </section>
      <section className="side" aria-label={say.labels.server}>
        <header>
          {item.choices.includes('accept') && <kbd aria-hidden="true">2</kbd>}
          <span>
            <bdi>{who ? say.serverBy(who) : say.server}</bdi>
          </span>
        </header>
        {server ? (
          <p dir="auto">
            <Text text={server} other={mine} />
          </p>
        ) : (
          <p className="q">{say.noServer}</p>
        )}
      </section>
    </div>
  )
}

/** Beside nothing, nothing differs. */
const Text = ({ text, other }: { text: string; other: string }) => (other ? <Differing text={text} other={other} /> : text)

function SameText({ text }: { text: string }) {
  return (
    <div className="pair texts one">
      <section className="side" aria-label={say.labels.both}>
        <header>
          <span>{say.both}</span>
        </header>
        <p dir="auto">{text}</p>
      </section>
    </div>
  )
}
