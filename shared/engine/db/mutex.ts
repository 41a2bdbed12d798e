/** First come, first served. One holder at a time. */
export class Mutex {
  #tail: Promise<void> = Promise.resolve()

  /** Waits for its turn; answers the function that ends it. */
  async acquire(): Promise<() => void> {
    const before = this.#tail
    let release = (): void => {}
    this.#tail = new Promise<void>((resolve) => {
      release = resolve
    })
    await before
    return release
  }
}

/** One mutex a name; names nobody holds or waits for are forgotten. */
export class KeyedMutex {
  readonly #held = new Map<string, { mutex: Mutex; users: number }>()

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const entry = this.#held.get(name) ?? { mutex: new Mutex(), users: 0 }
    this.#held.set(name, entry)
    entry.users++
    const release = await entry.mutex.acquire()
    try {
      return await work()
    } finally {
      release()
      if (--entry.users === 0) this.#held.delete(name)
    }
  }
}
