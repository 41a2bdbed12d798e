import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react'
import type { Items } from '../../data/items.ts'
import { useNow } from '../../state/locale.ts'
import { MemoryRow, rowId } from './row.tsx'
import { LIST as say } from './strings.ts'

export interface ListHandle {
  focus(): void
  show(index: number): void
  /** Rows that fit at once, for Page Up and Down. */
  pageSize(): number
  isAtTop(): boolean
}

interface ListProps {
  readonly items: Items
  readonly activeId: string | null
  readonly you: string
  readonly showNamespace: boolean
  readonly onChoose: (id: string) => void
  readonly ref: Ref<ListHandle>
}

/** Height of a row whose value takes one line, and of each line more; measured again once drawn. */
const ROW = 78
const LINE = 20

/** The rows, of which only those in sight exist. */
export function MemoryList({ items, activeId, you, showNamespace, onChoose, ref }: ListProps) {
  const rows = useRef<HTMLDivElement>(null)
  const now = useNow()
  const { items: loaded, total, more, hasMore } = items
  // The compiler leaves this component alone, as it should: the virtualizer's functions change what they answer.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => rows.current,
    estimateSize: (index) => ((loaded[index]?.excerpt.length ?? 0) > 54 ? ROW + LINE : ROW),
    getItemKey: (index) => loaded[index]?.id ?? index,
    overscan: 8,
  })
  const visible = virtual.getVirtualItems()
  const last = visible.at(-1)?.index ?? 0

  useEffect(() => {
    if (hasMore && last >= loaded.length - 20) more()
  }, [hasMore, last, loaded.length, more])

  useImperativeHandle(ref, () => ({
    focus: () => rows.current?.focus({ preventScroll: true }),
    show: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
    pageSize: () => Math.max(1, Math.floor((rows.current?.clientHeight ?? ROW) / (ROW + LINE)) - 1),
    isAtTop: () => (rows.current?.scrollTop ?? 0) < ROW,
  }))

  const activeShown = activeId !== null && visible.some(({ index }) => loaded[index]?.id === activeId)
  return (
    <div
      ref={rows}
      id="memory-rows"
      className="rows"
      role="listbox"
      tabIndex={0}
      aria-label={say.label}
      aria-activedescendant={activeShown ? rowId(activeId) : undefined}
      data-pane
    >
      <div role="presentation" style={{ height: virtual.getTotalSize() }}>
        {visible.map(({ index, start, key }) => {
          const item = loaded[index]
          return item ? (
            <MemoryRow
              key={item.id}
              item={item}
              index={index}
              total={total}
              start={start}
              active={item.id === activeId}
              now={now}
              you={you}
              showNamespace={showNamespace}
              measure={virtual.measureElement}
              onChoose={onChoose}
            />
          ) : (
            <div key={key} role="presentation" className="row skeleton" style={{ transform: `translateY(${start}px)` }}>
              <i style={{ width: '38%' }} />
              <i style={{ width: '80%' }} />
            </div>
          )
        })}
      </div>
    </div>
  )
}
