import { useQueryClient } from '@tanstack/react-query'
import type { RefObject } from 'react'
import { useClient } from '../../data/client.tsx'
import type { Item } from '../../data/item.ts'
import { memoryRow, type ReadRow } from '../../data/queries.ts'
import { IS_MAC, useWindowKeys } from '../../state/keys.ts'
import { focusNextPane, inReader } from '../../state/panes.ts'
import { useUndo } from '../../state/undo.tsx'
import { targetOf, type Actions, type Target } from './actions.ts'
import type { ListHandle } from './list.tsx'

interface MemoryKeys {
  readonly search: RefObject<HTMLInputElement | null>
  readonly list: RefObject<ListHandle | null>
  readonly preview: Item | null
  readonly readerId: string | null
  readonly move: (by: number) => void
  readonly open: (id: string) => void
  readonly back: () => void
  readonly retire: (target: Target) => void
  readonly restore: (id: string, key: string) => void
  readonly actions: Actions
  readonly onWrite: () => void
  readonly onEdit: (row: ReadRow) => void
  readonly onKeys: () => void
}

/** Keys of the Memories screen. */
export function useMemoryKeys(keys: MemoryKeys): void {
  const client = useClient()
  const cache = useQueryClient()
  const { undo } = useUndo()
  const { preview, readerId, move, list } = keys

  /** A key pressed before the memory is read waits for it: the hand is faster than the answer. */
  const onRow = (act: (row: ReadRow) => void) => (): void => {
    if (!readerId) return
    void cache.fetchQuery(memoryRow(client, readerId)).then(
      ({ row }) => row && act(row),
      () => undefined,
    )
  }
  /** The arrows scroll the reader while the focus is in it; J and K move through the list from anywhere. */
  const inList = (by: () => number) => (): void | false => {
    if (inReader()) return false
    move(by())
  }

  const retire = (): void => {
    if (!preview) onRow((current) => keys.retire(targetOf(current)))()
    else if (preview.status !== 'tombstoned') keys.retire(preview)
  }

  useWindowKeys({
    '/': () => {
      keys.search.current?.focus()
      keys.search.current?.select()
    },
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: inList(() => 1),
    ArrowUp: inList(() => -1),
    PageDown: inList(() => list.current?.pageSize() ?? 1),
    PageUp: inList(() => -(list.current?.pageSize() ?? 1)),
    Home: inList(() => Number.NEGATIVE_INFINITY),
    End: inList(() => Number.POSITIVE_INFINITY),
    Enter: () => {
      // A button that has the focus is what Enter is meant for.
      if (document.activeElement?.matches('button, a, summary')) return false
      if (preview) keys.open(preview.id)
      return undefined
    },
    o: () => preview && keys.open(preview.id),
    n: () => keys.onWrite(),
    e: onRow(keys.onEdit),
    p: onRow((current) => void keys.actions.togglePin(current)),
    h: () => {
      const versions = document.getElementById('versions')
      versions?.focus({ preventScroll: true })
      versions?.scrollIntoView({ block: 'start' })
    },
    Delete: retire,
    // What a Mac's keyboard calls delete.
    ...(IS_MAC ? { Backspace: retire } : {}),
    r: () => preview?.status === 'tombstoned' && keys.restore(preview.id, preview.key),
    u: undo,
    'mod+z': undo,
    '?': keys.onKeys,
    F6: focusNextPane,
    Escape: () => keys.back(),
  } as Record<string, (event: KeyboardEvent) => void | false>)
}
