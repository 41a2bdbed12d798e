import { useEffect, useRef } from 'react'
import { DECISIONS, useTrial, type Decision, type OpenProposal } from '../../data/proposal.ts'
import { Problem } from '../../parts/notes.tsx'
import { ItemBar } from './item-bar.tsx'
import { PairSide } from './pair-side.tsx'
import { PROPOSAL as say } from './proposal-strings.ts'
import type { Review } from './use-review.ts'

interface ProposalPaneProps {
  readonly of: OpenProposal
  readonly review: Review
  readonly you: string
  readonly bar: boolean
  readonly onMove: (by: number) => void
  readonly onOpen: (id: string) => void
}

const KEYS: Readonly<Record<Decision, string>> = { accept: '1', reject: '2' }

/** A fact on trial: what it says, what stands against it, how it fared, and the decision. */
export function ProposalPane({ of, review, you, bar, onMove, onOpen }: ProposalPaneProps) {
  const { id, row, peer, more, reason } = of
  const seen = useRef(id)
  useEffect(() => {
    if (seen.current !== id) document.querySelector('.reader-scroll')?.scrollTo({ top: 0 })
    seen.current = id
  }, [id])
  return (
    <article className="body">
      <ItemBar review={review} bar={bar} onMove={onMove}>
        {say.badge} · <bdi>{row.namespace}</bdi>
      </ItemBar>
      <h1 className="title">{say.title}</h1>
      <p className="lead">{say.lead}</p>
      <div className="pair">
        <PairSide side={row} other={peer ?? row} which="this" label={say.side} you={you} onOpen={onOpen} />
        {peer && <PairSide side={peer} other={row} which="that" label={say.against} you={you} onOpen={onOpen} />}
      </div>
      <dl className="judge">
        {peer && (
          <>
            <dt>{say.why}</dt>
            <dd>
              {reason} {more > 0 && say.more(more)}
            </dd>
          </>
        )}
        <dt>{say.trial}</dt>
        <dd>
          <TrialWords of={of} />
        </dd>
      </dl>
      <Problem text={review.refusal} />
      {of.decidable ? (
        <>
          <div className="acts choices">
            {DECISIONS.map((decision) => (
              <button
                key={decision}
                type="button"
                className={decision === 'accept' ? 'btn pri' : 'btn'}
                onClick={() => void review.decideProposal(decision)}
              >
                <kbd aria-hidden="true">{KEYS[decision]}</kbd> {say.choices[decision]}
              </button>
            ))}
          </div>
          <p className="does">{say.does(peer !== null)}</p>
        </>
      ) : (
        <p className="note strip-top">{say.several}</p>
      )}
    </article>
  )
}

function TrialWords({ of }: { of: OpenProposal }) {
  const trial = useTrial(of).data
  if (!trial) return null
  const { passes, fails, ungraded_runs: waiting } = trial
  return (
    <>
      {passes + fails === 0 ? say.noRuns : say.tally(passes, fails)} {waiting > 0 && say.ungraded(waiting)}
    </>
  )
}
