import { useEffect, useRef, type FormEvent, type ReactNode } from 'react'
import { FIRST_RUN as say } from './strings.ts'

interface StepProps {
  readonly at: number
  readonly title: string
  readonly why: string
  /** Of the main action. */
  readonly action: string
  readonly busy: boolean
  readonly onSubmit: () => void
  /** What stands beside the main action. */
  readonly left: ReactNode
  readonly right?: ReactNode
  readonly children: ReactNode
}

/** One step: Enter does the main action, which needs no choice to be made first. */
export function Step({ at, title, why, action, busy, onSubmit, left, right, children }: StepProps) {
  const main = useRef<HTMLButtonElement>(null)
  useEffect(() => main.current?.focus(), [])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!busy) onSubmit()
  }
  return (
    <form className="step" aria-label={say.step(at)} onSubmit={submit} noValidate>
      <header>
        <p className="of">
          <span className="logo" aria-hidden="true" />
          {say.step(at)}
        </p>
        <h1 className="title">{title}</h1>
        <p className="q">{why}</p>
      </header>
      <div className="in">{children}</div>
      <footer>
        <span>{left}</span>
        {right}
        <button type="submit" className="btn pri" aria-disabled={busy} ref={main}>
          {busy ? say.wait : action} <kbd aria-hidden="true">↵</kbd>
        </button>
      </footer>
    </form>
  )
}
