/** One call of several inferences, which run one after the other. */
export interface Work {
  readonly background: boolean
  /** The next inference of the call; false when there was none left. */
  step(): Promise<boolean>
  /** Told once, when the last step has run. */
  done(): void
  /** Told once, when a step threw; the rest of the call is dropped. */
  failed(error: unknown): void
}

/** Runs work one inference at a time. */
export interface WorkQueue {
  add(work: Work): void
  /** Drops what waits, untold, and resolves when the running inference has ended. */
  stop(): Promise<void>
}

/** A background call gets a turn after this many of the others, so that it ends even under constant load. */
const TURNS_AHEAD = 16

/**
 * A queue in which background work gives way between two inferences, not between two calls: a query waits for one
 * text of a bulk load, never for all of them.
 */
export function createWorkQueue(): WorkQueue {
  const waiting: Work[] = []
  const background: Work[] = []
  let running: Promise<void> | null = null
  let turnsAhead = 0

  const choose = (): Work[] => {
    if (waiting.length > 0 && (background.length === 0 || turnsAhead < TURNS_AHEAD)) {
      turnsAhead++
      return waiting
    }
    turnsAhead = 0
    return background
  }

  const run = async (): Promise<void> => {
    while (waiting.length + background.length > 0) {
      const queue = choose()
      const work = queue[0]!
      try {
        if (await work.step()) continue
        work.done()
      } catch (error) {
        work.failed(error)
      }
      if (queue[0] === work) queue.shift()
    }
    running = null
  }

  return {
    add(work) {
      const queue = work.background ? background : waiting
      queue.push(work)
      running ??= run()
    },
    async stop() {
      waiting.length = 0
      background.length = 0
      await running
    },
  }
}
