import { fold } from '../../domain/text/fold.ts'
import { Interner } from './interner.ts'
import type { IndexedDoc } from './types.ts'

const PINNED = 1
const KEY_INDEXED = 2
const SEARCHABLE = 4
const ASKS = 8
const OF_SELF = 16
const TELLS_WHEN = 32
const GROWTH = 1.25
const FOUND = new Set(['active', 'conflicted'])

/** Columns of numbers: their type decides what a row costs. */
interface Columns {
  readonly createdAt: Float64Array
  readonly updatedAt: Float64Array
  readonly validAt: Float64Array
  readonly expiresAt: Float64Array
  readonly validTo: Float64Array
  readonly confidence: Float64Array
  readonly position: Float64Array
  readonly version: BigUint64Array
  readonly agent: Uint32Array
  readonly userId: Uint32Array
  readonly sessionId: Uint32Array
  readonly runId: Uint32Array
  readonly memoryType: Uint32Array
  readonly status: Uint32Array
  readonly sourceClass: Uint32Array
  readonly actor: Uint32Array
  readonly author: Uint32Array
  readonly textLength: Uint32Array
  readonly bodyHash: Uint32Array
  readonly passage: Int32Array
  readonly valueRow: Int32Array
  readonly keyRow: Int32Array
  readonly flags: Uint8Array
}

type ColumnName = keyof Columns

const INTERNED = ['agent', 'userId', 'sessionId', 'runId', 'memoryType', 'status', 'sourceClass', 'actor', 'author'] as const

function columnsOf(size: number): Columns {
  const wide = (): Float64Array => new Float64Array(size)
  const id = (): Uint32Array => new Uint32Array(size)
  return {
    createdAt: wide(),
    updatedAt: wide(),
    validAt: wide(),
    expiresAt: wide(),
    validTo: wide(),
    confidence: wide(),
    position: wide(),
    version: new BigUint64Array(size),
    agent: id(),
    userId: id(),
    sessionId: id(),
    runId: id(),
    memoryType: id(),
    status: id(),
    sourceClass: id(),
    actor: id(),
    author: id(),
    textLength: id(),
    bodyHash: id(),
    passage: new Int32Array(size),
    valueRow: new Int32Array(size),
    keyRow: new Int32Array(size),
    flags: new Uint8Array(size),
  }
}

/** What the index derives from a row's text and keeps beside it. */
export interface Derived {
  /** The author's name: whoever speaks in a chat turn ("Ada: …"), else the actor. */
  readonly author: string
  readonly textLength: number
  /** Hash of the text without its key suffix: equal texts are told by it. */
  readonly bodyHash: number
  readonly asks: boolean
  /** Of a turn: whether the speaker tells of themselves, and whether it has words for a time. */
  readonly ofSelf: boolean
  readonly tellsWhen: boolean
}

const EMPTY: readonly string[] = Object.freeze([])

/** The rows of one partition, column by column. A row's place is its document number; a free place is used again. */
export class DocTable {
  readonly org: string
  readonly namespace: string
  columns: Columns
  readonly strings = new Interner()
  readonly memoryIds: string[] = []
  readonly keys: string[] = []
  readonly tags: (readonly string[])[] = []
  readonly entities: (readonly string[])[] = []
  /** How many rows have a tag, by its lower-case name. */
  readonly tagCounts = new Map<string, number>()
  /** Passages of the chunks of a row that has some. */
  readonly chunkPassages = new Map<number, readonly number[]>()
  /** Documents that are there and not plain. */
  readonly special = new Set<number>()
  #alive: Uint8Array
  #plain: Uint8Array
  #changes = 0
  #limit = 0
  #free: number[] = []
  #textBytes = 0

  constructor(org: string, namespace: string) {
    this.org = org
    this.namespace = namespace
    this.columns = columnsOf(16)
    this.#alive = new Uint8Array(16)
    this.#plain = new Uint8Array(16)
  }

  /** Document numbers are below this; those of removed rows lie between. */
  get limit(): number {
    return this.#limit
  }

  get count(): number {
    return this.#limit - this.#free.length
  }

  /** Rises with each row that comes, goes or changes. */
  get changes(): number {
    return this.#changes
  }

  get bytes(): number {
    let sum = 2 * this.#alive.byteLength + this.strings.bytes + this.#textBytes
    for (const column of Object.values(this.columns) as Columns[ColumnName][]) sum += column.byteLength
    return sum
  }

  /** 1 for each document that is there; at least `limit` long. */
  get alive(): Uint8Array {
    return this.#alive
  }

  /** 1 for each document that is searchable, active or conflicted, and without an end in time: what a search without filters finds. */
  get plain(): Uint8Array {
    return this.#plain
  }

  /** What hangs on a row is another. */
  changed(): void {
    this.#changes += 1
  }

  isAlive(doc: number): boolean {
    return this.#alive[doc] === 1
  }

  add(row: IndexedDoc, derived: Derived): number {
    const doc = this.#free.pop() ?? this.#limit++
    if (doc === this.#alive.length) this.#grow()
    const c = this.columns
    c.createdAt[doc] = row.createdAt
    c.updatedAt[doc] = row.updatedAt
    c.validAt[doc] = row.validAt ?? NaN
    c.expiresAt[doc] = row.expiresAt ?? NaN
    c.validTo[doc] = row.validTo ?? NaN
    c.confidence[doc] = row.confidence
    c.position[doc] = row.position
    c.version[doc] = row.version
    for (const name of INTERNED) c[name][doc] = this.strings.take(name === 'author' ? derived.author : row[name])
    c.textLength[doc] = derived.textLength
    c.bodyHash[doc] = derived.bodyHash
    c.passage[doc] = c.valueRow[doc] = c.keyRow[doc] = -1
    const plain = row.searchable && FOUND.has(row.status) && row.expiresAt === null && row.validTo === null
    c.flags[doc] =
      (row.pinned ? PINNED : 0) |
      (row.keyIndexed ? KEY_INDEXED : 0) |
      (row.searchable ? SEARCHABLE : 0) |
      (derived.asks ? ASKS : 0) |
      (derived.ofSelf ? OF_SELF : 0) |
      (derived.tellsWhen ? TELLS_WHEN : 0)
    this.memoryIds[doc] = row.memoryId
    this.keys[doc] = row.memoryKey
    this.tags[doc] = row.tags.length === 0 ? EMPTY : [...row.tags]
    this.entities[doc] = row.entities.length === 0 ? EMPTY : [...row.entities]
    this.#textBytes += this.#stringBytes(doc)
    this.#alive[doc] = 1
    if (plain) this.#plain[doc] = 1
    else this.special.add(doc)
    this.#changes += 1
    this.#countTags(doc, 1)
    return doc
  }

  remove(doc: number): void {
    this.#textBytes -= this.#stringBytes(doc)
    this.#countTags(doc, -1)
    for (const name of INTERNED) this.strings.release(this.columns[name][doc]!)
    this.memoryIds[doc] = this.keys[doc] = ''
    this.tags[doc] = this.entities[doc] = EMPTY
    this.chunkPassages.delete(doc)
    this.#alive[doc] = this.#plain[doc] = 0
    this.special.delete(doc)
    this.#changes += 1
    this.#free.push(doc)
  }

  text(name: (typeof INTERNED)[number], doc: number): string {
    return this.strings.value(this.columns[name][doc]!)
  }

  asks(doc: number): boolean {
    return (this.columns.flags[doc]! & ASKS) !== 0
  }

  /** A turn that begins with the name of who said it. */
  hasSpeaker(doc: number): boolean {
    return this.columns.author[doc] !== this.columns.actor[doc]
  }

  ofSelf(doc: number): boolean {
    return (this.columns.flags[doc]! & OF_SELF) !== 0
  }

  tellsWhen(doc: number): boolean {
    return (this.columns.flags[doc]! & TELLS_WHEN) !== 0
  }

  isPinned(doc: number): boolean {
    return (this.columns.flags[doc]! & PINNED) !== 0
  }

  isSearchable(doc: number): boolean {
    return (this.columns.flags[doc]! & SEARCHABLE) !== 0
  }

  /** When it became true, as far as is known, else when it was recorded. */
  instant(doc: number): number {
    const validAt = this.columns.validAt[doc]!
    return Number.isNaN(validAt) ? this.columns.createdAt[doc]! : validAt
  }

  isKeyIndexed(doc: number): boolean {
    return (this.columns.flags[doc]! & KEY_INDEXED) !== 0
  }

  #countTags(doc: number, by: 1 | -1): void {
    for (const tag of this.tags[doc]!) {
      const name = fold(tag)
      const count = (this.tagCounts.get(name) ?? 0) + by
      if (count > 0) this.tagCounts.set(name, count)
      else this.tagCounts.delete(name)
    }
  }

  #stringBytes(doc: number): number {
    let sum = 120 + this.memoryIds[doc]!.length + this.keys[doc]!.length
    for (const list of [this.tags[doc]!, this.entities[doc]!]) {
      if (list.length > 0) sum += 40
      for (const text of list) sum += 32 + text.length
    }
    return sum
  }

  #grow(): void {
    const size = Math.ceil(this.#alive.length * GROWTH)
    const larger = columnsOf(size)
    for (const name of Object.keys(larger) as ColumnName[]) {
      // The columns of both tables have the same types, which TypeScript cannot see through the union.
      ;(larger[name] as Uint32Array).set(this.columns[name] as Uint32Array)
    }
    this.columns = larger
    const alive = new Uint8Array(size)
    alive.set(this.#alive)
    this.#alive = alive
    const plain = new Uint8Array(size)
    plain.set(this.#plain)
    this.#plain = plain
  }
}
