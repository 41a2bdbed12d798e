/**
 * Works on items in their order, `slots` at once and one of a group at a time: an item whose group is busy lets the
 * next one pass. Answers those that were not begun when `mayStart` said no. `work` must not throw.
 */
export async function inTurns<T>(
  items: readonly T[],
  groupOf: (item: T) => string,
  slots: number,
  mayStart: () => boolean,
  work: (item: T) => Promise<void>,
): Promise<T[]> {
  const waiting = [...items]
  const busy = new Set<string>()
  await new Promise<void>((done) => {
    const startNext = (): void => {
      while (busy.size < slots && mayStart()) {
        const at = waiting.findIndex((item) => !busy.has(groupOf(item)))
        const item = waiting[at]
        if (item === undefined) break
        waiting.splice(at, 1)
        busy.add(groupOf(item))
        void work(item).finally(() => {
          busy.delete(groupOf(item))
          startNext()
        })
      }
      if (busy.size === 0) done()
    }
    startNext()
  })
  return waiting
}
