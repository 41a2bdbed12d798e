import { useCallback, useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react'
import type { LoomClient } from '../../data/client.tsx'
import { enter, forgetToken, keptToken, openClient, type Refusal } from '../../data/session.ts'
import { ENTRANCE as say } from './strings.ts'

type Stage =
  | { readonly is: 'looking' }
  | { readonly is: 'in'; readonly client: LoomClient }
  | { readonly is: 'asking'; readonly refusal: Refusal | null }

/**
 * Lets in whoever the host knows: everybody in single mode, and in multi mode the holder of a token, which a page in a
 * browser asks for. The host's own window needs none.
 */
export function Entrance({ children }: { children: (client: LoomClient, onRefused: () => void) => ReactNode }) {
  const [stage, setStage] = useState<Stage>(() => (window.loom ? { is: 'in', client: openClient(null) } : { is: 'looking' }))

  useEffect(() => {
    if (stage.is !== 'looking') return
    let left = false
    const look = async (): Promise<void> => {
      const entry = await enter(keptToken())
      if (left) return
      if ('client' in entry) setStage({ is: 'in', client: entry.client })
      // Nothing answers yet: the window waits for it, and says so.
      else if (entry.refusal.why === 'no-answer') setStage({ is: 'in', client: openClient(keptToken()) })
      else setStage({ is: 'asking', refusal: keptToken() === null && entry.refusal.why === 'token' ? null : entry.refusal })
    }
    void look()
    return () => {
      left = true
    }
  }, [stage])

  const onRefused = useCallback(() => {
    const had = keptToken() !== null
    forgetToken()
    // Several calls of one window are refused together; the first of them says why.
    setStage((now) => (now.is === 'asking' && !had ? now : { is: 'asking', refusal: had ? { why: 'token' } : null }))
  }, [])

  if (stage.is === 'looking') return null
  if (stage.is === 'in') return children(stage.client, onRefused)
  if (window.loom) return <OtherHost />
  return <AskToken first={stage.refusal} onEnter={(client) => setStage({ is: 'in', client })} />
}

/** The window is a guest of a host that another program started, over HTTP: no page can give it a token. */
function OtherHost() {
  return (
    <main className="entrance">
      <h1>{say.windowTitle}</h1>
      <p className="q">{say.windowWhy}</p>
    </main>
  )
}

function wordsOf(refusal: Refusal): string {
  if (refusal.why === 'token') return say.refused
  if (refusal.why === 'every-org') return say.everyOrg
  return refusal.why === 'wait' ? say.tooMany(refusal.seconds) : say.noAnswer
}

function AskToken({ first, onEnter }: { first: Refusal | null; onEnter: (client: LoomClient) => void }) {
  const [token, setToken] = useState('')
  const [fault, setFault] = useState(first === null ? '' : wordsOf(first))
  const [busy, setBusy] = useState(false)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // It is all there is to do here.
  useEffect(() => input.current?.focus(), [])

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const given = token.trim()
    if (!/^loom_\S+$/.test(given)) return setFault(say.empty)
    setBusy(true)
    const entry = await enter(given)
    if ('client' in entry) return onEnter(entry.client)
    setBusy(false)
    setFault(wordsOf(entry.refusal))
  }
  return (
    <main className="entrance">
      <h1>{say.title}</h1>
      <p className="q">{say.why}</p>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <label className="field">
          <span className="label">{say.token}</span>
          <input
            className="input mono"
            type="password"
            autoComplete="off"
            ref={input}
            value={token}
            placeholder={say.placeholder}
            aria-invalid={fault !== ''}
            aria-describedby={`${id}-fault ${id}-kept`}
            // What was wrong stays to be read until the next try: this may have come while somebody was typing.
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <p className="bad s" id={`${id}-fault`} role="alert">
          {fault}
        </p>
        <button type="submit" className="btn pri" disabled={busy}>
          {say.enter}
        </button>
        <p className="q s" id={`${id}-kept`}>
          {say.kept}
        </p>
      </form>
    </main>
  )
}
