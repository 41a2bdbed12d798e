import { useVirtualizer } from '@tanstack/react-virtual'
import { useImperativeHandle, useRef, type ReactNode, type Ref } from 'react'

export interface RowsHandle {
  focus(): void
  show(index: number): void
  /** Rows that fit at once, for Page Up and Down. */
  pageSize(): number
  hasFocus(): boolean
}

interface FixedRowsProps<T extends { readonly id: string }> {
  readonly items: readonly T[]
  readonly chosen: string | null
  /** Id of a row's element. */
  readonly rowId: (id: string) => string
  /** Of every row, in pixels. */
  readonly height: number
  readonly className: string
  readonly label: string
  readonly ref: Ref<RowsHandle>
  readonly children: (item: T, index: number, start: number) => ReactNode
}

/** A list to choose one of, of which only the rows in sight exist. It has the focus and the keys, and names its active row. */
export function FixedRows<T extends { readonly id: string }>(props: FixedRowsProps<T>) {
  const { items, chosen, rowId, height, className, label, ref, children } = props
  const rows = useRef<HTMLDivElement>(null)
  // The compiler leaves this component alone, as it should: the virtualizer's functions change what they answer.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => rows.current,
    estimateSize: () => height,
    getItemKey: (index) => `${height} ${items[index]?.id ?? index}`,
    overscan: 8,
  })
  useImperativeHandle(ref, () => ({
    focus: () => rows.current?.focus({ preventScroll: true }),
    show: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
    pageSize: () => Math.max(1, Math.floor((rows.current?.clientHeight ?? height) / height) - 1),
    hasFocus: () => rows.current === document.activeElement,
  }))
  const visible = virtual.getVirtualItems()
  const isShown = chosen !== null && visible.some(({ index }) => items[index]?.id === chosen)
  return (
    <div
      ref={rows}
      className={className}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={isShown ? rowId(chosen) : undefined}
      data-pane
    >
      <div role="presentation" style={{ height: virtual.getTotalSize() }}>
        {visible.map(({ index, start }) => {
          const item = items[index]
          return item && children(item, index, start)
        })}
      </div>
    </div>
  )
}
