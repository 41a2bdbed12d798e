import { Search } from 'lucide-react'
import type { Ref } from 'react'
import { SEARCH as say } from './strings.ts'

interface SearchBoxProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onMove: (by: number) => void
  readonly onOpen: () => void
  readonly onLeave: () => void
  readonly activeRow: string | undefined
  readonly ref?: Ref<HTMLInputElement>
}

/** The search field; the arrows move through the list while the cursor stays in it. */
export function SearchBox({ value, onChange, onMove, onOpen, onLeave, activeRow, ref }: SearchBoxProps) {
  return (
    <search className="search">
      <Search aria-hidden="true" strokeWidth={1.7} />
      <input
        ref={ref}
        type="search"
        role="combobox"
        aria-label={say.placeholder}
        aria-expanded="true"
        aria-controls="memory-rows"
        aria-autocomplete="list"
        aria-activedescendant={activeRow}
        placeholder={say.placeholder}
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
          if (event.key === 'ArrowDown') onMove(1)
          else if (event.key === 'ArrowUp') onMove(-1)
          else if (event.key === 'Enter') onOpen()
          else if (event.key === 'Escape') {
            if (value) onChange('')
            else onLeave()
          } else return
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
