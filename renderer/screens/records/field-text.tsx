import type { FieldValue } from '../../data/records.ts'
import { RECORDS as say } from './strings.ts'

/** A value as a person reads it; what is no value says which. */
export function FieldText({ held }: { held: FieldValue | undefined }) {
  if (held === undefined || held.state === 'unknown')
    return (
      <span className="gap">
        {'–'}
        <span className="sr">{say.states.unknown}</span>
      </span>
    )
  if (held.state === 'absent') return <span className="gap">{say.states.absent}</span>
  if (held.state === 'rejected')
    return (
      <span className="gap">
        {say.states.rejected}
        {held.value !== undefined && (
          <>
            {' '}
            <del>{textOf(held.value)}</del>
          </>
        )}
      </span>
    )
  return <bdi>{textOf(held.value)}</bdi>
}

export function textOf(value: FieldValue['value']): string {
  if (typeof value === 'boolean') return value ? say.yes : say.no
  return value === undefined ? '' : String(value)
}
