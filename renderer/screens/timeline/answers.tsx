import type { ReactNode } from 'react'
import { useAsOf, type Basis } from '../../data/timeline.ts'
import type { ReadRow } from '../../data/queries.ts'
import { FactList, type Fact } from '../../parts/fact-list.tsx'
import { Differing } from '../../parts/marked.tsx'
import { locale } from '../../state/locale.ts'
import { STATUS_WORDS, writerName } from '../../text/plain-words.ts'
import { claimText } from '../../text/value-text.ts'
import { fullDate } from '../../text/when.ts'
import { longDay } from './dates.ts'
import { daysBetween } from './days.ts'
import type { Claim, Lane } from './lanes.ts'
import { ANSWERS as say } from './strings.ts'

interface AnswersProps {
  readonly lane: Lane | null
  readonly day: number
  readonly at: number
  readonly you: string
  readonly onOpen: (id: string) => void
}

const date = (at: number): string => fullDate(new Date(at).toISOString(), locale)

/** How the bars are read, and both answers of the chosen key, as the engine gives them for that day. */
export function Answers({ lane, day, at, you, onOpen }: AnswersProps) {
  const truth = useAsOf(lane?.id ?? null, at, 'valid_time')
  const held = useAsOf(lane?.id ?? null, at, 'knowledge_time')
  const [trueText, heldText] = [textOf(truth.data?.row), textOf(held.data?.row)]
  return (
    <section className="answers" aria-label={lane ? say.label(lane.key, longDay(day)) : say.choose} data-pane tabIndex={-1}>
      <Legend />
      {lane ? (
        <>
          <Answer
            {...{ lane, at, you }}
            basis="valid_time"
            answer={truth.data}
            error={truth.error}
            late={truth.isPlaceholderData}
            text={trueText}
            other={trueText}
          >
            <button type="button" className="btn sm" onClick={() => onOpen(lane.id)}>
              {say.open} <kbd aria-hidden="true">O</kbd>
            </button>
          </Answer>
          <Answer
            {...{ lane, at, you }}
            basis="knowledge_time"
            answer={held.data}
            error={held.error}
            late={held.isPlaceholderData}
            text={heldText}
            other={trueText}
          />
        </>
      ) : (
        <p className="q">{say.choose}</p>
      )}
    </section>
  )
}

const textOf = (row: ReadRow | null | undefined): string => (row ? claimText(row.value ?? undefined) : '')

function Legend() {
  return (
    <div className="legend-part">
      <h2 className="h3">{say.legend}</h2>
      <ul className="legend">
        <li>
          <i className="in-truth" aria-hidden="true" />
          {say.upper}
        </li>
        <li>
          <i className="in-held" aria-hidden="true" />
          {say.lower}
        </li>
        <li>
          <i className="is-outlived" aria-hidden="true" />
          {say.outlived}
        </li>
      </ul>
      <p className="s q">
        {say.drag} <kbd>←</kbd> <kbd>→</kbd> {say.days} <kbd>Shift</kbd> {say.months}
      </p>
    </div>
  )
}

interface AnswerProps {
  readonly lane: Lane
  readonly basis: Basis
  readonly at: number
  readonly you: string
  readonly answer: { readonly reason: string; readonly row: ReadRow | null } | undefined
  readonly error: Error | null
  /** The answer is still that of another day. */
  readonly late: boolean
  readonly text: string
  /** The text whose missing words are marked. */
  readonly other: string
  readonly children?: ReactNode
}

function Answer({ lane, basis, at, you, answer, error, late, text, other, children }: AnswerProps) {
  const claim = lane.claims.find(({ version }) => version === answer?.row?.version_text) ?? null
  const isTruth = basis === 'valid_time'
  return (
    <div className="answer" aria-busy={late || (!answer && !error)}>
      <h2 className="h3">{isTruth ? say.truth : say.held}</h2>
      {error && !answer ? (
        <p className="bad" role="alert">
          {say.failed(error.message)}
        </p>
      ) : answer?.row ? (
        <>
          <p className="big" dir="auto">
            {other === '' ? text : <Differing text={text} other={other} />}
          </p>
          {claim && <FactList lines={isTruth ? truthFacts(claim, answer.row, at, you) : heldFacts(claim, answer.row, at, you)} />}
        </>
      ) : (
        answer && <p className="q">{isTruth ? noTruth(lane, at, answer.reason) : noHeld(lane, at)}</p>
      )}
      {children && <div className="acts">{children}</div>}
    </div>
  )
}

const learnt = (claim: Claim, row: ReadRow, you: string): string =>
  say.by(date(claim.heldFrom), writerName(row, you), row.source_resource_id)

function truthFacts(claim: Claim, row: ReadRow, at: number, you: string): Fact[] {
  const until = claim.trueUntil
  const facts: Fact[] = [
    [say.true, until > at && !Number.isFinite(until) ? say.still(date(claim.trueFrom)) : say.until(date(claim.trueFrom), date(until))],
    [say.learnt, <bdi key="l">{learnt(claim, row, you)}</bdi>],
  ]
  if (claim.status !== 'active')
    facts.push([
      say.status,
      <span key="s" className="badge">
        {STATUS_WORDS[claim.status]}
      </span>,
    ])
  return facts
}

function heldFacts(claim: Claim, row: ReadRow, at: number, you: string): Fact[] {
  const { trueUntil, heldUntil } = claim
  const tooLong = daysBetween(trueUntil, heldUntil)
  const until = !Number.isFinite(heldUntil)
    ? say.stillHeld
    : tooLong > 0 && trueUntil <= at
      ? say.tooLong(date(heldUntil), tooLong)
      : date(heldUntil)
  return [
    [say.learnt, <bdi key="l">{learnt(claim, row, you)}</bdi>],
    [say.heldUntil, until],
  ]
}

function noTruth({ claims }: Lane, at: number, reason: string): string {
  if (reason === 'deleted') return say.retired
  const last = claims.findLast(({ trueFrom, trueUntil }) => trueUntil <= at && trueUntil > trueFrom)
  if (last) return `${say.noTruth} ${say.noTruthMore(date(last.trueUntil))}`
  const next = claims.find(({ trueFrom }) => trueFrom > at)
  return next ? `${say.noTruth} ${say.noTruthYet(date(next.trueFrom))}` : say.noTruth
}

function noHeld({ claims }: Lane, at: number): string {
  const last = claims.findLast(({ heldUntil }) => heldUntil <= at)
  if (last) return `${say.noHeld} ${say.noHeldMore(date(last.heldUntil))}`
  const next = claims.find(({ heldFrom }) => heldFrom > at)
  return next ? `${say.noHeld} ${say.noHeldYet(date(next.heldFrom))}` : say.noHeld
}
