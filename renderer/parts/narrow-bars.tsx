import type { ReactNode } from 'react'
import { BARS as say } from './strings.ts'

/** One pane at a time: the navigation folds into the first button. */
export function TopBar({ onMenu, onWrite, children }: { onMenu: () => void; onWrite: () => void; children: ReactNode }) {
  return (
    <header className="topbar">
      <button type="button" className="btn" onClick={onMenu} aria-haspopup="dialog">
        {say.menu}
      </button>
      {children}
      <button type="button" className="btn" onClick={onWrite}>
        {say.write}
      </button>
    </header>
  )
}

interface ReaderBarProps {
  readonly label: string
  readonly index: number
  readonly total: number
  readonly onBack: () => void
  readonly onPrevious: () => void
  readonly onNext: () => void
}

/** Above the reader when it has the window to itself: the way back, and to its neighbours. */
export function ReaderBar({ label, index, total, onBack, onPrevious, onNext }: ReaderBarProps) {
  return (
    <header className="topbar">
      <Back label={label} onBack={onBack} />
      {index >= 0 && <span className="place">{say.place(index + 1, total)}</span>}
      <span className="acts">
        <button type="button" className="btn" disabled={index <= 0} onClick={onPrevious}>
          {say.previous} <kbd aria-hidden="true">K</kbd>
        </button>
        <button type="button" className="btn" disabled={index < 0 || index >= total - 1} onClick={onNext}>
          {say.next} <kbd aria-hidden="true">J</kbd>
        </button>
      </span>
    </header>
  )
}

/** Above a form that has the window to itself. */
export function BackBar(props: { label: string; onBack: () => void }) {
  return (
    <header className="topbar">
      <Back {...props} />
    </header>
  )
}

function Back({ label, onBack }: { label: string; onBack: () => void }) {
  return (
    <button type="button" className="btn" onClick={onBack}>
      <span className="turn" aria-hidden="true">
        ←
      </span>
      {label} <kbd aria-hidden="true">Esc</kbd>
    </button>
  )
}
