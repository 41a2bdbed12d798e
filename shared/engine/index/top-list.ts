/** The highest-scored numbers of a stream, in a heap with the lowest of them on top. */
export class TopList {
  readonly #limit: number
  #ids: number[] = []
  #scores: number[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  offer(id: number, score: number): void {
    const size = this.#ids.length
    if (size < this.#limit) {
      this.#ids.push(id)
      this.#scores.push(score)
      this.#up(size)
    } else if (size > 0 && score > this.#scores[0]!) {
      this.#ids[0] = id
      this.#scores[0] = score
      this.#down()
    }
  }

  /** The numbers, best first; equal scores by number. */
  take(): number[] {
    return this.#ids
      .map((id, i) => ({ id, score: this.#scores[i]! }))
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .map(({ id }) => id)
  }

  #swap(a: number, b: number): void {
    const id = this.#ids[a]!
    const score = this.#scores[a]!
    this.#ids[a] = this.#ids[b]!
    this.#scores[a] = this.#scores[b]!
    this.#ids[b] = id
    this.#scores[b] = score
  }

  #up(at: number): void {
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#scores[parent]! <= this.#scores[at]!) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #down(): void {
    const size = this.#ids.length
    for (let at = 0; ;) {
      const left = 2 * at + 1
      let least = at
      if (left < size && this.#scores[left]! < this.#scores[least]!) least = left
      if (left + 1 < size && this.#scores[left + 1]! < this.#scores[least]!) least = left + 1
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }
}
