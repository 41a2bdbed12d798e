interface Waiting<I, O> {
  readonly item: I
  readonly resolve: (answer: O) => void
  readonly reject: (error: unknown) => void
}

/** Asks at once for all items that are asked for in one turn of the event loop, or while an answer is under way. */
export function together<I, O>(ask: (items: readonly I[]) => Promise<readonly O[]>): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = []
  let isAsking = false

  /** Until a turn of the event loop brings no further item: one question costs about as much for one item as for sixty. */
  async function noMoreCome(): Promise<void> {
    for (let known = 0; known < waiting.length;) {
      known = waiting.length
      await new Promise((next) => setImmediate(next))
    }
  }

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      await noMoreCome()
      const asked = waiting
      waiting = []
      try {
        const answers = await ask(asked.map(({ item }) => item))
        asked.forEach(({ resolve }, at) => resolve(answers[at] as O))
      } catch (error) {
        for (const { reject } of asked) reject(error)
      }
    }
    isAsking = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isAsking) void askAll()
    })
}
