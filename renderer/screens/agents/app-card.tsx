import { useState } from 'react'
import { useAppAction, type AppCard } from '../../data/apps.ts'
import { Problem } from '../../parts/notes.tsx'
import { useNow } from '../../state/locale.ts'
import { messageOf } from '../../text/message-of.ts'
import { CARDS as say } from './app-strings.ts'
import { ChangeOf } from './change-of.tsx'
import { TestOf } from './test-of.tsx'

/** One app, in whatever state its file is. */
export function AppCardView({ app }: { app: AppCard }) {
  const act = useAppAction(app.id)
  const now = useNow()
  const [leaving, setLeaving] = useState(false)
  const isTesting = app.testing !== null
  const isFailed = app.state === 'connected' && app.test !== null && app.test.cause !== ''
  const isWriting = act.isPending && act.variables.action === 'write' && !isTesting
  const state = isWriting ? say.writing : isTesting ? say.testing : isFailed ? say.failedTest : say.states[app.state]
  const inFile = say.inFile(app)
  const titleId = `app-${app.id}-name`
  const isConnected = app.state === 'connected'
  const change = leaving ? app.change.map((line) => (line.kind === 'new' ? { ...line, kind: 'gone' as const } : line)) : app.change
  return (
    <article className="cl" id={`app-${app.id}`} aria-labelledby={titleId} tabIndex={-1}>
      <header>
        <h2 id={titleId}>{app.name}</h2>
        <span className={isFailed || app.state === 'unreadable' ? 'badge bad' : 'badge'} role="status">
          {state}
        </span>
      </header>
      <p className="path" title={app.file}>
        <bdi>{app.file}</bdi>
        {inFile && `, ${inFile}`}
      </p>
      <div className="mid">
        {app.state !== 'unreadable' && <ChangeOf label={say.change(app.name)} lines={change} />}
        {app.problem !== '' && (
          <p className="s bad" role="note">
            {app.problem}
          </p>
        )}
        {app.state === 'absent' && <p className="s q">{say.absent(app.name)}</p>}
        {app.state === 'unreadable' && <p className="s q">{say.unreadable}</p>}
        {leaving && <p className="s q">{say.takingOut}</p>}
        {isConnected && !leaving && <TestOf app={app} />}
        {isConnected && !leaving && app.test?.cause === '' && !isTesting && <p className="s q">{say.restart(app.name)}</p>}
        <Problem text={act.error && !act.isPending ? messageOf(act.error) : ''} />
      </div>
      <Foot app={app} act={act} leaving={leaving} onLeaving={setLeaving} now={now} isWriting={isWriting} />
    </article>
  )
}

interface FootProps {
  readonly app: AppCard
  readonly act: ReturnType<typeof useAppAction>
  readonly leaving: boolean
  readonly onLeaving: (leaving: boolean) => void
  readonly now: Date
  readonly isWriting: boolean
}

function footWords({ app, leaving, now }: FootProps): string {
  if (app.testing !== null) return say.step(app.testing)
  if (leaving || app.state === 'ready' || app.state === 'differs')
    return !app.exists ? say.newFile : app.canUndo ? say.copyKept : say.copyWillBe(app.copy)
  if (app.state !== 'connected') return ''
  return app.test ? say.tested(app.test, now) : say.notTested
}

function Foot(props: FootProps) {
  const { app, act, leaving, onLeaving, isWriting } = props
  const { basis, state, canUndo, testing } = app
  // A call of its own: the test that it ends is still being waited for.
  const stopper = useAppAction(app.id)
  const isBusy = act.isPending
  const button = (label: string, onClick: () => void, kind = '', disabled = isBusy) => (
    <button type="button" className={`btn ${kind}`.trim()} disabled={disabled} onClick={onClick}>
      {label}
    </button>
  )
  const run = (action: Parameters<typeof act.mutate>[0]['action']) => () => act.mutate({ action, basis })
  return (
    <footer>
      <span className="s">{footWords(props)}</span>
      {testing !== null && button(say.stop, () => stopper.mutate({ action: 'stop', basis }), '', false)}
      {testing === null && leaving && (
        <>
          {button(say.keep, () => onLeaving(false), 'text')}
          {button(say.takeOutNow, () => act.mutate({ action: 'remove', basis }, { onSettled: () => onLeaving(false) }), 'danger')}
        </>
      )}
      {testing === null && !leaving && state === 'connected' && (
        <>
          {canUndo && button(say.undo, run('undo'), 'text')}
          {button(app.test ? say.again : say.testNow, run('test'), 'text')}
          {!canUndo && button(say.takeOut, () => onLeaving(true))}
        </>
      )}
      {testing === null && (state === 'ready' || state === 'differs') && (
        <>
          {canUndo && button(say.undo, run('undo'), 'text')}
          {button(isWriting ? say.writing : say.write, run('write'), 'pri')}
        </>
      )}
      {(state === 'absent' || state === 'unreadable') && <CopyEntry text={app.snippet} />}
    </footer>
  )
}

function CopyEntry({ text }: { text: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <button type="button" className="btn" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
      {copied ? say.copied : say.copy}
    </button>
  )
}
