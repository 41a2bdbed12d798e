import type { Models } from '../ports.ts'

/** Models that give way to others while the engine runs. */
export interface SwitchableModels extends Models {
  /**
   * Loads the models of another name. `takeUp` is called at once with them, waits until they have settled, and calls
   * `flip` when they may be in force; the former ones serve until then and are closed after it.
   */
  switchTo(name: string, takeUp: (next: Models, flip: () => void) => Promise<void>): Promise<void>
}

/** @param make starts loading the models of a name */
export function switchableModels(make: (name: string) => Models, first: string): SwitchableModels {
  let current = make(first)
  let closed = false
  const open = new Set<Models>([current])

  async function drop(models: Models): Promise<void> {
    open.delete(models)
    await models.close()
  }

  return {
    get embedder() {
      return current.embedder
    },
    get relation() {
      return current.relation
    },
    get state() {
      return current.state
    },
    get queue() {
      return current.queue
    },
    get embedderSettled() {
      return current.embedderSettled
    },
    get settled() {
      return current.settled
    },
    async switchTo(name, takeUp) {
      if (closed) return
      const next = make(name)
      open.add(next)
      let former: Models | null = null
      await takeUp(next, () => {
        former = current
        current = next
      })
      // Nobody took it up: the engine was closing.
      await drop(former ?? next)
    },
    async close() {
      closed = true
      for (const models of open) await drop(models)
    },
  }
}
