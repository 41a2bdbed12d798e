import type { Ref } from 'react'
import { SearchField } from '../../parts/search-field.tsx'
import { SEARCH as say } from './strings.ts'

interface SearchBoxProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onMove: (by: number) => void
  readonly onOpen: () => void
  readonly onLeave: () => void
  readonly activeRow: string | undefined
  readonly hasRows: boolean
  readonly ref?: Ref<HTMLInputElement>
}

/** The search field; the arrows move through the list while the cursor stays in it. */
export function SearchBox({ value, onChange, onMove, onOpen, onLeave, activeRow, hasRows, ref }: SearchBoxProps) {
  return (
    <SearchField
      ref={ref}
      label={say.placeholder}
      value={value}
      onChange={onChange}
      onLeave={onLeave}
      keys={{ ArrowDown: () => onMove(1), ArrowUp: () => onMove(-1), Enter: onOpen }}
      list={{ id: 'memory-rows', activeRow, isThere: hasRows }}
    />
  )
}
