import { useEffect, useRef } from 'react'
import { guarded, isOneKey, mainChoice, type OpenPair } from '../../data/pair.ts'
import { Problem } from '../../parts/notes.tsx'
import { pairSureness } from '../../text/plain-words.ts'
import { MergeEditor } from '../settling/merge-editor.tsx'
import { CHOICES } from '../settling/strings.ts'
import { ItemBar } from './item-bar.tsx'
import { PairSide } from './pair-side.tsx'
import { PAIR as say, QUEUE, choiceKeys, doesNothing, doesOf, guardWords, versionsDo } from './strings.ts'
import type { Review } from './use-review.ts'

interface PairPaneProps {
  readonly pair: OpenPair
  readonly review: Review
  readonly you: string
  /** Where one pane fills the window, the bar above has the place and the way on. */
  readonly bar: boolean
  readonly onMove: (by: number) => void
  readonly onOpen: (id: string) => void
}

/** Two memories side by side, and the choice between them. */
export function PairPane({ pair, review, you, bar, onMove, onOpen }: PairPaneProps) {
  const { kind, row, peer, reason, confidence } = pair
  const sure = pairSureness(pair)
  const choices = useRef<HTMLDivElement>(null)
  const wasMerging = useRef(false)
  useEffect(() => {
    // The field had the focus; what comes after it is the next choice.
    if (wasMerging.current && !review.merging) choices.current?.querySelector('button')?.focus({ preventScroll: true })
    wasMerging.current = review.merging
  }, [review.merging])
  const seen = useRef(pair.id)
  useEffect(() => {
    // The pane and its buttons stay, and keep the focus; the next pair begins at its top.
    if (seen.current !== pair.id) document.querySelector('.reader-scroll')?.scrollTo({ top: 0 })
    seen.current = pair.id
  }, [pair.id])
  return (
    <article className="body">
      <ItemBar review={review} bar={bar} onMove={onMove}>
        {QUEUE.badges[kind]} · <bdi>{row.namespace}</bdi>
      </ItemBar>
      <h1 className="title">{isOneKey(pair) ? say.versionsTitle : say.titles[kind]}</h1>
      <p className="lead">{isOneKey(pair) ? say.versionsLead : say.leads[kind]}</p>
      <div className="pair">
        <PairSide side={row} other={peer} which="this" you={you} onOpen={onOpen} />
        <PairSide side={peer} other={row} which="that" you={you} onOpen={onOpen} />
      </div>
      <dl className="judge">
        <dt>{say.why}</dt>
        <dd>{reason || say.noReason}</dd>
        {sure && (
          <>
            <dt>{say.howSure}</dt>
            <dd title={String(confidence ?? '')}>{sure}</dd>
          </>
        )}
      </dl>
      <Problem text={review.refusal} />
      {review.merging ? (
        <MergeEditor
          key={pair.id}
          pair={pair}
          busy={review.saving}
          onSave={(value) => void review.decide('merge', value)}
          onCancel={review.closeMerge}
        />
      ) : (
        <>
          <div className="acts choices" ref={choices}>
            {choiceKeys(pair).map(([choice, key]) => (
              <button
                key={choice}
                type="button"
                className={choice === mainChoice(pair) ? 'btn pri' : 'btn'}
                onClick={() => (choice === 'merge' ? review.openMerge() : void review.decide(choice))}
              >
                <kbd aria-hidden="true">{key}</kbd> {CHOICES[choice]}
              </button>
            ))}
          </div>
          <Does pair={pair} />
        </>
      )}
    </article>
  )
}

function Does({ pair }: { pair: OpenPair }) {
  if (isOneKey(pair)) return <p className="does">{versionsDo(pair.row.memory_key)}</p>
  if (mainChoice(pair) === 'keep_both') return <p className="does">{doesNothing}</p>
  const { keep, retire, rest } = doesOf(pair)
  return (
    <p className="does">
      Keep this makes{' '}
      <code>
        <bdi>{keep}</bdi>
      </code>{' '}
      active and retires{' '}
      <code>
        <bdi>{retire}</bdi>
      </code>
      . {rest} {guarded(pair).map((side) => `${guardWords(side.memory_key, side.pinned)} `)}
    </p>
  )
}
