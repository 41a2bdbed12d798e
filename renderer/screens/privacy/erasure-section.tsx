import { useState } from 'react'
import { useBeginErasure, useErasure, useErasureAnswer, useErasures, type Erasure, type ErasureRow, type Org } from '../../data/erasure.ts'
import { Unread } from '../../parts/notes.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { failureOf, nextTry, scopeName, STEP_COUNT, stepLines } from '../../text/erasure-words.ts'
import { messageOf } from '../../text/message-of.ts'
import { agoWords } from '../../text/sync-words.ts'
import { timeOfDay } from '../../text/when.ts'
import { Devices } from './devices.tsx'
import { Receipt } from './receipt.tsx'
import { DEVICES, PRIVACY, RUN as say } from './strings.ts'

interface ErasureSectionProps {
  readonly org: Org
  readonly id: string
  readonly onOpen: (erasureId: string) => void
  readonly onErase: () => void
}

/** One erasure: as it runs, where it stopped, or the receipt. */
export function ErasureSection({ org, id, onOpen, onErase }: ErasureSectionProps) {
  const { data: erasure, error, refetch } = useErasure(org.org, id)
  const listed = useErasures(org.org).data?.find((row) => row.erasure_id === id)
  const answer = useErasureAnswer(id)
  if (error && (!erasure || erasure.erasure_id !== id)) {
    return (
      <>
        <h1 className="title">{PRIVACY.erase}</h1>
        <Unread text={`${say.failed} ${error.message}`} onRetry={() => void refetch()} />
      </>
    )
  }
  if (!erasure || erasure.erasure_id !== id) return <p className="q">{say.loading}</p>
  if (!erasure.found) {
    return (
      <>
        <h1 className="title">{say.missing}</h1>
        <p className="lead">{say.missingNext}</p>
        <div className="acts">
          <button type="button" className="btn" onClick={onErase}>
            {say.back}
          </button>
        </div>
      </>
    )
  }
  if (erasure.status === 'completed') return <Receipt org={org} erasure={erasure} attempts={listed?.attempts ?? null} answer={answer} />
  return (
    <>
      <h1 className="title">
        <bdi>{say.title(scopeName(erasure, locale))}</bdi>
      </h1>
      {erasure.status === 'failed' ? (
        <Stopped org={org} erasure={erasure} listed={listed} onOpen={onOpen} />
      ) : (
        <Running erasure={erasure} />
      )}
      <Steps erasure={erasure} />
      {erasure.devices_pending.length + erasure.receipts.length > 0 && (
        <section className="part" aria-labelledby="devices">
          <h2 className="h3" id="devices">
            {DEVICES.title}
          </h2>
          <Devices org={org} erasure={erasure} folds />
        </section>
      )}
    </>
  )
}

function Running({ erasure: { current_step, requested_at, requester } }: { erasure: Erasure }) {
  const now = useNow()
  const step = Math.min((current_step ?? 0) + 1, STEP_COUNT)
  return (
    <div className="running">
      <p className="q" role="status">
        {say.step(step, STEP_COUNT)}
        <span className="qq">, {say.started(agoWords(requested_at ?? '', now, locale), requester ?? '')}</span>
      </p>
      <progress max={STEP_COUNT} value={current_step ?? 0} aria-label={say.progress} />
      <p className="s qq">{say.goesOn}</p>
    </div>
  )
}

interface StoppedProps {
  readonly org: Org
  readonly erasure: Erasure
  readonly listed: ErasureRow | undefined
  readonly onOpen: (erasureId: string) => void
}

/** What happened, what holds, what happens next. */
function Stopped({ org, erasure, listed, onOpen }: StoppedProps) {
  const { step, why, isGivenUp } = failureOf(erasure.failure_reason ?? '', locale)
  const next = erasure.completed_at ? nextTry(erasure.completed_at, listed?.attempts ?? 1) : null
  return (
    <div className="stopped card">
      <p className="note warn" role="alert">
        {step === '' ? say.stopped(why) : say.stoppedAt(step, why)} {say.holds}
      </p>
      <p className="q">
        {listed && say.tried(listed.attempts)} {isGivenUp ? say.givenUp : next && say.nextTry(timeOfDay(next, locale))}
      </p>
      {isGivenUp && <Again org={org} erasure={erasure} onOpen={onOpen} />}
    </div>
  )
}

function Again({ org, erasure, onOpen }: Omit<StoppedProps, 'listed'>) {
  const begin = useBeginErasure(org.org)
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  const { scope_type, scope_value, purge, requester } = erasure
  // What a collection held is erased with the collection.
  if (scope_type === null || scope_type === 'collection') return null
  const again = async (): Promise<void> => {
    if (busy) return
    setBusy(true)
    setFault('')
    try {
      onOpen(await begin({ scope_type, scope_value: scope_value ?? '', purge, requester: requester ?? '' }))
    } catch (error) {
      setFault(say.notAgain(messageOf(error)))
    }
    setBusy(false)
  }
  return (
    <>
      <div className="acts">
        <button type="button" className="btn" aria-disabled={busy} onClick={() => void again()}>
          {say.again}
        </button>
      </div>
      {fault && (
        <p className="problem" role="alert">
          {fault}
        </p>
      )}
    </>
  )
}

function Steps({ erasure }: { erasure: Erasure }) {
  return (
    <section aria-labelledby="steps">
      <h2 className="sr" id="steps">
        {say.steps}
      </h2>
      <ol className="steps">
        {stepLines(erasure.current_step ?? 0, erasure).map(({ step, name, state, isIdle }) => (
          <li key={step} className={state}>
            <Mark state={state} isStopped={erasure.status === 'failed'} />
            <span>{name}</span>
            {isIdle && <small>{say.notNeeded}</small>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Mark({ state, isStopped }: { state: 'done' | 'now' | 'next'; isStopped: boolean }) {
  if (state === 'done') {
    return (
      <svg viewBox="0 0 12 12" role="img" aria-label={say.states.done}>
        <path d="M2 6.5l2.6 2.6L10 3.5" />
      </svg>
    )
  }
  const kind = state === 'now' && !isStopped ? 'spin' : 'todo'
  return <i className={kind} role="img" aria-label={say.states[state === 'now' && isStopped ? 'next' : state]} />
}
