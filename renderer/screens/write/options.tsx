import type { MemoryType } from '../../../shared/contract/common.ts'
import type { Fields } from './form-input.ts'
import { WRITE as say } from './strings.ts'

interface OptionsProps {
  readonly fields: Fields
  readonly problem: string | undefined
  readonly onChange: (part: Partial<Fields>) => void
}

/** A procedure needs steps, which this form does not take; one that is edited stays one. */
const TYPES: readonly MemoryType[] = ['semantic', 'episodic', 'profile']

/** What most memories leave as it is. */
export function Options({ fields, problem, onChange }: OptionsProps) {
  const types = TYPES.includes(fields.type) ? TYPES : [...TYPES, fields.type]
  return (
    <div className="options">
      <label className="field">
        <span className="label">{say.type}</span>
        <select className="input select" value={fields.type} onChange={(event) => onChange({ type: event.target.value as MemoryType })}>
          {types.map((type) => (
            <option key={type} value={type}>
              {say.types[type]}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        <span className="label">{say.since}</span>
        <input className="input" type="date" value={fields.since} onChange={(event) => onChange({ since: event.target.value })} />
      </label>
      <label className="field">
        <span className="label">{say.until}</span>
        <input
          className="input"
          type="date"
          value={fields.until}
          aria-invalid={problem !== undefined}
          onChange={(event) => onChange({ until: event.target.value })}
        />
      </label>
    </div>
  )
}
