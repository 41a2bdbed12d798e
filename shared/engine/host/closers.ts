/** What was opened, to be closed in reverse order. */
export interface Closers {
  add(close: () => void | Promise<void>): void
  /** Closes everything once, the last opened first; a failure does not keep the others open. */
  close(): Promise<void>
}

/** @param onFault gets what a close threw */
export function createClosers(onFault: (error: unknown) => void): Closers {
  const open: (() => void | Promise<void>)[] = []
  let closing: Promise<void> | null = null
  const closeAll = async () => {
    for (let close = open.pop(); close; close = open.pop()) {
      try {
        await close()
      } catch (error) {
        onFault(error)
      }
    }
  }
  return {
    add: (close) => void open.push(close),
    close: () => (closing ??= closeAll()),
  }
}
