import type { RefObject } from 'react'
import type { ScreenProps } from '../../parts/sections-screen.tsx'
import { useWindowKeys } from '../../state/keys.ts'
import { focusNextPane } from '../../state/panes.ts'
import { usePreferences } from '../../state/preferences.ts'
import { useUndo } from '../../state/undo.tsx'
import type { RowsHandle } from '../../parts/fixed-rows.tsx'
import type { Lane } from './lanes.ts'
import type { Day } from './use-day.ts'

interface KeysInput extends Pick<ScreenProps, 'onWrite' | 'onKeys'> {
  readonly lanes: readonly Lane[]
  readonly activeId: string | null
  readonly date: Day
  readonly list: RefObject<RowsHandle | null>
  readonly search: RefObject<HTMLInputElement | null>
  readonly choose: (id: string) => void
  readonly open: (id: string) => void
  /** Takes the filters away. */
  readonly clear: () => void
}

/** The timeline by keys: the date sideways, the claims up and down. */
export function useTimelineKeys({ lanes, activeId, date, list, search, choose, open, clear, onWrite, onKeys }: KeysInput): void {
  const { undo } = useUndo()
  const mirrored = usePreferences().direction === 'rtl'
  const move = (by: number) => () => {
    const at = lanes.findIndex(({ id }) => id === activeId)
    const index = Math.min(Math.max(at + by, 0), lanes.length - 1)
    const next = lanes[index]
    if (!next) return
    choose(next.id)
    list.current?.show(index)
  }
  const turn = (by: number) => (event: KeyboardEvent) => date.step(mirrored ? -by : by, event.shiftKey)
  const onButton = (): boolean => document.activeElement?.tagName === 'BUTTON' || document.activeElement?.tagName === 'A'
  const openActive = (): void => {
    if (activeId !== null) open(activeId)
  }
  useWindowKeys({
    ArrowLeft: turn(-1),
    ArrowRight: turn(1),
    Home: () => date.setDay(date.axis.first),
    End: () => date.setDay(date.axis.last),
    t: () => date.setDay(date.today),
    j: move(1),
    k: move(-1),
    ArrowDown: move(1),
    ArrowUp: move(-1),
    PageDown: () => move(list.current?.pageSize() ?? 1)(),
    PageUp: () => move(-(list.current?.pageSize() ?? 1))(),
    o: openActive,
    Enter: () => (onButton() ? false : openActive()),
    '/': () => search.current?.focus(),
    n: onWrite,
    u: undo,
    'mod+z': undo,
    '?': onKeys,
    F6: focusNextPane,
    Escape: () => {
      clear()
      list.current?.focus()
    },
  })
}
