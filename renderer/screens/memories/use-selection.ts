import { useState } from 'react'
import type { Items } from '../../data/items.ts'

export interface Selection {
  /** The memory the reader shows, and the list marks if it has it. */
  readonly id: string | null
  /** Its place among the rows loaded, -1 where the list does not have it. */
  readonly index: number
  choose(id: string | null): void
  /** @returns the row that is now chosen, null at the end. */
  move(by: number): { id: string; index: number } | null
}

/**
 * Which memory is chosen. A new answer to a changed filter chooses its first row, where `eager` says so; a list that
 * only changed under the same filter keeps the choice.
 */
export function useSelection(items: Items, eager: boolean, initial: string): Selection {
  const [chosen, setChosen] = useState<string | null>(initial || null)
  const [shown, setShown] = useState(items.shown)
  if (items.shown !== shown) {
    setShown(items.shown)
    // The first answer after a start keeps what the address names.
    if (shown !== null && !sameFilter(shown, items.shown)) setChosen(null)
  }
  const list = items.items
  const id = chosen ?? (eager ? (list[0]?.id ?? null) : null)
  const index = id === null ? -1 : list.findIndex((item) => item.id === id)
  return {
    id,
    index,
    choose: setChosen,
    move(by) {
      const to = index < 0 ? 0 : Math.min(Math.max(index + by, 0), list.length - 1)
      const next = list[to]
      if (!next) return null
      setChosen(next.id)
      return { id: next.id, index: to }
    },
  }
}

function sameFilter(a: Items['shown'], b: Items['shown']): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
