import { X } from 'lucide-react'
import { useId, useState, type FormEvent } from 'react'
import type { FieldDef } from '../../data/records.ts'
import { FILTER as say } from './strings.ts'
import { needsValue, operandOf, operatorsOf, type Filter, type Operator } from './where.ts'

interface FilterBarProps {
  readonly fields: readonly FieldDef[]
  readonly filters: readonly Filter[]
  readonly onFilters: (filters: readonly Filter[]) => void
}

const wordsOf = ({ field, by, value }: Filter): string => [field, say.operators[by], ...(needsValue(by) ? [value] : [])].join(' ')

/** What the table is narrowed to, and one condition more. */
export function FilterBar({ fields, filters, onFilters }: FilterBarProps) {
  const id = useId()
  const [name, setName] = useState(fields[0]?.name ?? '')
  const [chosen, setBy] = useState<Operator | null>(null)
  const [value, setValue] = useState('')
  const [fault, setFault] = useState('')
  const def = fields.find((field) => field.name === name) ?? fields[0]
  if (!def) return null
  const operators = operatorsOf(def)
  const by = chosen !== null && operators.includes(chosen) ? chosen : (operators[0] ?? 'eq')
  const choices =
    def.type === 'boolean' ? ['true', 'false'] : def.enum_values && (by === 'eq' || by === 'ne') ? def.enum_values.map(String) : null
  const typed = choices && !choices.includes(value) ? (choices[0] ?? '') : value

  const add = (event: FormEvent): void => {
    event.preventDefault()
    if (needsValue(by) && operandOf(typed, def) === null) {
      setFault(say.needsNumber)
      return
    }
    setFault('')
    setValue('')
    onFilters([
      ...filters.filter((one) => wordsOf(one) !== wordsOf({ field: def.name, by, value: typed })),
      { field: def.name, by, value: typed },
    ])
  }
  return (
    <form className="record-filter" aria-label={say.label} onSubmit={add}>
      <select className="input" aria-label={say.field} value={def.name} onChange={(event) => setName(event.target.value)}>
        {fields.map((field) => (
          <option key={field.name}>{field.name}</option>
        ))}
      </select>
      <select className="input" aria-label={say.operator} value={by} onChange={(event) => setBy(event.target.value as Operator)}>
        {operators.map((one) => (
          <option key={one} value={one}>
            {say.operators[one]}
          </option>
        ))}
      </select>
      {needsValue(by) &&
        (choices ? (
          <select className="input" aria-label={say.value} value={typed} onChange={(event) => setValue(event.target.value)}>
            {choices.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        ) : (
          <input
            className="input"
            aria-label={say.value}
            aria-invalid={fault !== ''}
            aria-describedby={`${id}-fault`}
            inputMode={def.type === 'string' ? 'text' : 'decimal'}
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        ))}
      <button type="submit" className="btn">
        {say.add}
      </button>
      <p id={`${id}-fault`} role="alert" className="fault">
        {fault}
      </p>
      {filters.length > 0 && (
        <ul className="record-chips">
          {filters.map((filter) => (
            <li key={wordsOf(filter)}>
              <button
                type="button"
                className="btn sm"
                aria-label={say.remove(wordsOf(filter))}
                onClick={() => onFilters(filters.filter((one) => one !== filter))}
              >
                <bdi>{wordsOf(filter)}</bdi> <X aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}
