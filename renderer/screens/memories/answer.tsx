import { useEffect, useRef, useState } from 'react'
import { useAnswer } from '../../data/ask.ts'
import { isRanked, type Filter } from '../../data/filter.ts'
import { messageOf } from '../../text/message-of.ts'
import { ANSWER as say } from './strings.ts'

interface AnswerProps {
  readonly filter: Filter
  readonly onOpen: (id: string) => void
}

/** Asks memory what the search field says: sentences of what is held, each with the memory that it is of, or why there are none. */
export function Answer({ filter, onOpen }: AnswerProps) {
  const [asked, setAsked] = useState('')
  // The button goes while the answer is there: whoever moves by keys is taken to the one, and back to the other.
  const closed = useRef(false)
  const focusAgain = (button: HTMLButtonElement | null): void => {
    if (button && closed.current) button.focus()
    closed.current = false
  }
  if (!isRanked(filter)) return null
  const question = JSON.stringify(filter)
  if (asked !== question) {
    return (
      <div className="strip">
        <button ref={focusAgain} type="button" className="btn sm" onClick={() => setAsked(question)}>
          {say.ask}
        </button>
      </div>
    )
  }
  const close = (): void => {
    closed.current = true
    setAsked('')
  }
  return <Given filter={filter} onOpen={onOpen} onClose={close} />
}

function Given({ filter, onOpen, onClose }: AnswerProps & { readonly onClose: () => void }) {
  const answer = useAnswer(filter)
  const place = useRef<HTMLElement>(null)
  useEffect(() => place.current?.focus(), [])
  const given = answer.data
  return (
    <section ref={place} tabIndex={-1} className="strip asked" aria-label={say.label} aria-busy={answer.isPending}>
      <div role="status">
        {answer.isPending && <p>{say.asking}</p>}
        {answer.error && (
          <p>
            {say.failed} {messageOf(answer.error)}
          </p>
        )}
        {given?.abstain && <p>{given.abstain_reason}</p>}
        {given && !given.abstain && <p dir="auto">{given.answer}</p>}
        {given?.conflicts.map((conflict) => (
          <p key={conflict.memory_keys.join(' ')} className="warn">
            {say.disagree} {conflict.note}
          </p>
        ))}
      </div>
      {given && given.citations.length > 0 && (
        <ol className="cited" aria-label={say.sources}>
          {given.citations.map((citation) => (
            <li key={citation.n}>
              <button type="button" className="link" onClick={() => onOpen(citation.memory_id)}>
                [{citation.n}] <bdi>{citation.memory_key}</bdi>
              </button>
            </li>
          ))}
        </ol>
      )}
      <div className="acts">
        {answer.error && (
          <button type="button" className="btn sm" onClick={() => void answer.refetch()}>
            {say.again}
          </button>
        )}
        <button type="button" className="btn sm text" onClick={onClose}>
          {say.close}
        </button>
      </div>
    </section>
  )
}
