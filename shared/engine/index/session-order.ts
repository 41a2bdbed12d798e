import type { DocTable } from './doc-table.ts'

/** Documents of each user's session in the order in which they were said. */
export class SessionOrder {
  readonly #docs: DocTable
  #sessions = new Map<string, number[]>()
  #count = 0

  constructor(docs: DocTable) {
    this.#docs = docs
  }

  get bytes(): number {
    return this.#count * 8 + this.#sessions.size * 120
  }

  add(doc: number): void {
    const id = this.#idOf(doc)
    let order = this.#sessions.get(id)
    if (order === undefined) {
      order = []
      this.#sessions.set(id, order)
    }
    order.splice(this.#place(order, doc), 0, doc)
    this.#count += 1
  }

  remove(doc: number): void {
    const id = this.#idOf(doc)
    const order = this.#sessions.get(id)
    const at = order === undefined ? -1 : this.#place(order, doc)
    if (order === undefined || order[at] !== doc) return
    order.splice(at, 1)
    this.#count -= 1
    if (order.length === 0) this.#sessions.delete(id)
  }

  /** The session of a document in order and the document's place in it, or null outside sessions. */
  around(doc: number): { readonly order: readonly number[]; readonly at: number } | null {
    if (this.#sessions.size === 0) return null
    const order = this.#sessions.get(this.#idOf(doc))
    if (order === undefined) return null
    const at = this.#place(order, doc)
    return order[at] === doc ? { order, at } : null
  }

  /** One session of one user: what another user said there is not theirs to learn from. */
  #idOf(doc: number): string {
    const { userId, sessionId } = this.#docs.columns
    return `${userId[doc]!} ${sessionId[doc]!}`
  }

  #place(order: readonly number[], doc: number): number {
    let low = 0
    let high = order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#before(order[middle]!, doc)) low = middle + 1
      else high = middle
    }
    return low
  }

  #before(a: number, b: number): boolean {
    if (a === b) return false
    const { position, createdAt } = this.#docs.columns
    if (position[a] !== position[b]) return position[a]! < position[b]!
    if (createdAt[a] !== createdAt[b]) return createdAt[a]! < createdAt[b]!
    return this.#docs.memoryIds[a]! < this.#docs.memoryIds[b]!
  }
}
