import type { ReactNode } from 'react'

interface OptionProps {
  readonly type: 'radio' | 'checkbox'
  readonly name: string
  readonly label: string
  readonly note?: string
  readonly why?: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
  readonly children?: ReactNode
}

/** A choice of a step, with what it means. */
export function Option({ type, name, label, note = '', why = '', checked, disabled = false, onChange, children }: OptionProps) {
  return (
    <div className={checked ? 'opt on' : 'opt'}>
      <label>
        <input type={type} name={name} checked={checked} disabled={disabled} onChange={(event) => onChange(event.target.checked)} />
        <b>{label}</b>
        {note && <span className="qq s">{note}</span>}
        {why && <span className="means s q">{why}</span>}
      </label>
      {children}
    </div>
  )
}
