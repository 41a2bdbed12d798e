interface ChoiceProps<V extends string> {
  readonly name: string
  readonly label: string
  readonly value: V
  readonly options: Readonly<Record<V, string>>
  readonly onChange: (value: V) => void
}

/** One of a few, all in sight. */
export function Choice<V extends string>({ name, label, value, options, onChange }: ChoiceProps<V>) {
  return (
    <fieldset className="choice">
      <legend className="sr">{label}</legend>
      <span className="label" aria-hidden="true">
        {label}
      </span>
      <span className="seg">
        {(Object.keys(options) as V[]).map((option) => (
          <label key={option}>
            <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
            {options[option]}
          </label>
        ))}
      </span>
    </fieldset>
  )
}
