interface Held {
  readonly id: number
  uses: number
}

/** Strings that many rows share, held once and named by a number; one that no row uses any more is let go. */
export class Interner {
  #held = new Map<string, Held>()
  #values: (string | undefined)[] = []
  #free: number[] = []
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  value(id: number): string {
    return this.#values[id] ?? ''
  }

  /** Number of a string; each call is one use. */
  take(value: string): number {
    const held = this.#held.get(value)
    if (held !== undefined) {
      held.uses += 1
      return held.id
    }
    const id = this.#free.pop() ?? this.#values.length
    this.#values[id] = value
    this.#held.set(value, { id, uses: 1 })
    this.#bytes += 96 + value.length
    return id
  }

  /** Ends one use. */
  release(id: number): void {
    const value = this.#values[id]
    const held = value === undefined ? undefined : this.#held.get(value)
    if (held === undefined || value === undefined) return
    held.uses -= 1
    if (held.uses > 0) return
    this.#held.delete(value)
    this.#values[id] = undefined
    this.#free.push(id)
    this.#bytes -= 96 + value.length
  }
}
