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
  // Those before `next` whose group was busy; all after it are untouched, since to cut into a list of thousands costs more than a POST.
  const passed: T[] = []
  let next = 0
  const busy = new Set<string>()
  const isFree = (item: T): boolean => !busy.has(groupOf(item))
  const takeNext = (): T | undefined => {
    const at = passed.findIndex(isFree)
    if (at >= 0) return passed.splice(at, 1)[0]
    while (next < items.length) {
      const item = items[next++] as T
      if (isFree(item)) return item
      passed.push(item)
    }
    return undefined
  }
  await new Promise<void>((done) => {
    const startNext = (): void => {
      while (busy.size < slots && mayStart()) {
        const item = takeNext()
        if (item === undefined) break
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
  return [...passed, ...items.slice(next)]
}
