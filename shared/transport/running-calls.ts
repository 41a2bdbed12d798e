/** Calls under way that can be ended, by the id that their window gave them. */
interface RunningCalls {
  /** Runs one, with a signal of its own; without an id there is nothing to end it by. */
  run<T>(id: string | undefined, work: (signal?: AbortSignal) => Promise<T>): Promise<T>
  end(id: string): void
}

export function createRunningCalls(): RunningCalls {
  const running = new Map<string, AbortController>()
  return {
    async run(id, work) {
      if (id === undefined) return await work()
      const stop = new AbortController()
      running.set(id, stop)
      try {
        return await work(stop.signal)
      } finally {
        running.delete(id)
      }
    },
    end: (id) => running.get(id)?.abort(),
  }
}
