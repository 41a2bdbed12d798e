import { useEffect, useState, type ReactNode } from 'react'
import { LIST_STATES as say } from './strings.ts'

const WIDTHS = [
  [38, 92, 30],
  [44, 70, 22],
  [30, 96, 44],
  [52, 84, 26],
  [36, 62, 30],
  [42, 90, 20],
] as const

/** Rows to come; only after 200 ms, since what is there sooner should not flicker first. */
export function LoadingRows() {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 200)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="rows" aria-busy="true">
      {late &&
        WIDTHS.map((widths) => (
          <div key={widths.join(' ')} className="skeleton">
            {widths.map((width) => (
              <i key={width} style={{ width: `${width}%` }} />
            ))}
          </div>
        ))}
    </div>
  )
}

export function Failed({ title = say.failed, message, onRetry }: { title?: string; message: string; onRetry: () => void }) {
  return (
    <div className="rows">
      <div className="empty" role="alert">
        <h2>{title}</h2>
        <p>{message}</p>
        <div className="acts">
          <button type="button" className="btn pri" onClick={onRetry}>
            {say.tryAgain}
          </button>
        </div>
      </div>
    </div>
  )
}

/** What stands in a list's place when it has no row: the cause, and the next steps. */
export function Empty({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="rows">
      <div className="empty" role="status">
        <h2>{title}</h2>
        {text && <p>{text}</p>}
        <div className="acts">{children}</div>
      </div>
    </div>
  )
}
