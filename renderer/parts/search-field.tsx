import { Search } from 'lucide-react'
import type { Ref } from 'react'
import { SEARCH as say } from './strings.ts'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** Escape in an empty field. */
  readonly onLeave: () => void
  /** What other keys do, by name. */
  readonly keys: Readonly<Record<string, () => void>>
  /** A list that is moved through while the cursor stays in the field; with no row in it, it is not there. */
  readonly list?: { readonly id: string; readonly activeRow: string | undefined; readonly isThere: boolean }
  readonly ref?: Ref<HTMLInputElement>
}

/** What a screen is searched by. */
export function SearchField({ label, value, onChange, onLeave, keys, list, ref }: SearchFieldProps) {
  const combobox = list && {
    role: 'combobox',
    'aria-expanded': list.isThere,
    'aria-controls': list.isThere ? list.id : undefined,
    'aria-autocomplete': 'list' as const,
    'aria-activedescendant': list.activeRow,
  }
  return (
    <search className="search">
      <Search aria-hidden="true" strokeWidth={1.7} />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        {...combobox}
        placeholder={label}
        autoComplete="off"
        autoCorrect="off"
        autoCapitalize="off"
        spellCheck={false}
        dir="auto"
        maxLength={4000}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          const act = event.key === 'Escape' ? () => (value ? onChange('') : onLeave()) : keys[event.key]
          if (!act) return
          act()
          event.preventDefault()
        }}
      />
      {value ? (
        <button type="button" className="btn sm text" onClick={() => onChange('')}>
          {say.clear}
        </button>
      ) : (
        <kbd aria-hidden="true">/</kbd>
      )}
    </search>
  )
}
