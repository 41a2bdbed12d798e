import { NOTES as say } from './strings.ts'

/** What stands against what was asked for; nothing where nothing does. */
export function Problem({ text }: { text: string }) {
  return (
    text !== '' && (
      <p className="note bad" role="alert">
        <span>{text}</span>
      </p>
    )
  )
}

/** Something could not be read, and may be read again. */
export function Unread({ text, onRetry }: { text: string; onRetry: () => void }) {
  return (
    <p className="note warn" role="alert">
      <span>{text}</span>
      <button type="button" className="btn sm" onClick={onRetry}>
        {say.tryAgain}
      </button>
    </p>
  )
}
