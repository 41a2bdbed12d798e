import type { ChangeLine } from '../../data/apps.ts'
import { CARDS as say } from './app-strings.ts'

const SIGNS = { new: '+', gone: '-', same: ' ' } as const
const CLASSES = { new: 'add', gone: 'rem', same: undefined } as const

/** A change, line by line. */
export function ChangeOf({ label, lines }: { label: string; lines: readonly ChangeLine[] }) {
  // A line has no identity beyond its place, and the whole is replaced when the file changes.
  const placed = lines.map((line, place) => ({ ...line, place }))
  return (
    <div className="change-lines" role="group" aria-label={label} dir="ltr">
      {placed.map(({ kind, text, place }) => (
        <span key={place} className={CLASSES[kind]}>
          <span aria-hidden="true">{SIGNS[kind]} </span>
          {say.kinds[kind] && <span className="sr">{say.kinds[kind]}: </span>}
          {text}
        </span>
      ))}
    </div>
  )
}
