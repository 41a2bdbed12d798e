import { useId, type ReactNode, type Ref } from 'react'

interface FormFieldProps {
  readonly label: string
  readonly value: string
  readonly hint?: ReactNode
  readonly problem?: string
  readonly mono?: boolean
  readonly placeholder?: string
  readonly ref?: Ref<HTMLInputElement>
  readonly onChange: (value: string) => void
}

/** A line to type into, with what it is for, and what is wrong with it. */
export function FormField({ label, value, hint, problem = '', mono = false, placeholder, ref, onChange }: FormFieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <input
        ref={ref}
        id={id}
        className={mono ? 'input mono' : 'input'}
        type="text"
        dir="auto"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        aria-invalid={problem !== ''}
        aria-describedby={`${id}-about`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={`${id}-about`} className={problem ? 'problem' : 's q'} role={problem ? 'alert' : undefined}>
        {problem || hint}
      </p>
    </div>
  )
}
