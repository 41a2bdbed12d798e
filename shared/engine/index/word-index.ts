import { NumberLists } from './number-lists.ts'

/** A posting or an entry of a passage: 24 bits of passage or term, 6 of frequency in the text, 2 flags. */
export const ID_SHIFT = 8
export const FREQUENCY_SHIFT = 2
export const FREQUENCY_LIMIT = 63
/** The word stands in the key; in tags, author or date. */
export const IN_KEY = 1
export const IN_HEAD = 2
const ID_LIMIT = 1 << 24
const GROWTH = 1.25

/** Packs what a passage has of one term: how often its text has it, and the flags. */
export function packEntry(frequency: number, flags: number): number {
  return (Math.min(frequency, FREQUENCY_LIMIT) << FREQUENCY_SHIFT) | flags
}

/** Effective frequency of each packed entry: the text's, and one for the head, and one for the key where it counts. */
export function frequencyTable(keyMatch: boolean): Float32Array {
  const table = new Float32Array(256)
  for (let entry = 0; entry < 256; entry++) {
    const head = (entry & IN_HEAD) !== 0 ? 1 : 0
    const key = keyMatch && (entry & IN_KEY) !== 0 ? 1 : 0
    table[entry] = (entry >> FREQUENCY_SHIFT) + (entry >> FREQUENCY_SHIFT === 0 ? Math.max(head, key) : head + key * KEY_SHARE)
  }
  return table
}

/** A key mostly repeats words of its text; they say little twice. */
const KEY_SHARE = 0.25

/**
 * Inverted index of one partition, kept both ways: term to passages for scoring, passage to terms so that it can be
 * taken out again exactly. A passage is a row's excerpt or one of its chunks.
 */
export class WordIndex {
  readonly postings = new NumberLists()
  readonly passages = new NumberLists()
  #terms = new Map<string, number>()
  #names: (string | undefined)[] = []
  #nameBytes = 0
  #lengths = new Float32Array(64)
  #documents = new Uint32Array(64)
  #chunks = new Int32Array(64)
  #count = 0
  #totalLength = 0

  /** Number of passages, and their length together. */
  get count(): number {
    return this.#count
  }

  get totalLength(): number {
    return this.#totalLength
  }

  get bytes(): number {
    return (
      this.postings.bytes +
      this.passages.bytes +
      this.#nameBytes +
      this.#terms.size * 48 +
      this.#lengths.byteLength +
      this.#documents.byteLength +
      this.#chunks.byteLength
    )
  }

  /** Of each passage: length in words, the row it belongs to, and the number of its chunk (-1 for the excerpt). */
  get lengths(): Float32Array {
    return this.#lengths
  }

  get documents(): Uint32Array {
    return this.#documents
  }

  get chunks(): Int32Array {
    return this.#chunks
  }

  /** Ids of terms are below this. */
  get termLimit(): number {
    return this.postings.idLimit
  }

  termId(term: string): number | undefined {
    return this.#terms.get(term)
  }

  /** Number of passages with the term. */
  holding(termId: number): number {
    return this.postings.length(termId)
  }

  /** Adds a passage of `document` from term to packed entry; returns its id. */
  add(document: number, chunk: number, entries: ReadonlyMap<string, number>, length: number): number {
    const passage = this.passages.create(Math.max(1, entries.size))
    if (passage >= ID_LIMIT) throw new RangeError('A namespace holds at most 16,777,216 passages.')
    this.#grow(passage)
    for (const [term, entry] of entries) {
      const id = this.#idOf(term)
      this.passages.insert(passage, this.passages.length(passage), (id << ID_SHIFT) | entry)
      this.postings.insert(id, this.#find(id, passage), (passage << ID_SHIFT) | entry)
    }
    this.#documents[passage] = document
    this.#chunks[passage] = chunk
    this.#lengths[passage] = length
    this.#totalLength += length
    this.#count += 1
    return passage
  }

  remove(passage: number): void {
    const start = this.passages.start(passage)
    const end = start + this.passages.length(passage)
    for (let at = start; at < end; at++) {
      const id = this.passages.data[at]! >>> ID_SHIFT
      this.postings.removeAt(id, this.#find(id, passage))
      if (this.postings.length(id) === 0) this.#forget(id)
    }
    this.passages.free(passage)
    this.#totalLength -= this.#lengths[passage]!
    this.#count -= 1
  }

  /** Terms of a passage by name, for a rebuild. */
  entriesOf(passage: number): Map<string, number> {
    const entries = new Map<string, number>()
    const start = this.passages.start(passage)
    for (let at = start; at < start + this.passages.length(passage); at++) {
      const packed = this.passages.data[at]!
      entries.set(this.#names[packed >>> ID_SHIFT]!, packed & 0xff)
    }
    return entries
  }

  /** Place of a passage in the list of a term, or where it would go. */
  #find(termId: number, passage: number): number {
    const { data } = this.postings
    const start = this.postings.start(termId)
    let low = 0
    let high = this.postings.length(termId)
    // New passages mostly have the highest id.
    if (high > 0 && data[start + high - 1]! >>> ID_SHIFT < passage) return high
    while (low < high) {
      const middle = (low + high) >>> 1
      if (data[start + middle]! >>> ID_SHIFT < passage) low = middle + 1
      else high = middle
    }
    return low
  }

  #idOf(term: string): number {
    const known = this.#terms.get(term)
    if (known !== undefined) return known
    const id = this.postings.create()
    if (id >= ID_LIMIT) throw new RangeError('A namespace holds at most 16,777,216 different words.')
    this.#terms.set(term, id)
    this.#names[id] = term
    this.#nameBytes += 24 + 2 * term.length
    return id
  }

  #forget(id: number): void {
    const name = this.#names[id]!
    this.#terms.delete(name)
    this.#names[id] = undefined
    this.#nameBytes -= 24 + 2 * name.length
    this.postings.free(id)
  }

  #grow(passage: number): void {
    if (passage < this.#lengths.length) return
    const size = Math.ceil(this.#lengths.length * GROWTH)
    const lengths = new Float32Array(size)
    lengths.set(this.#lengths)
    this.#lengths = lengths
    const documents = new Uint32Array(size)
    documents.set(this.#documents)
    this.#documents = documents
    const chunks = new Int32Array(size)
    chunks.set(this.#chunks)
    this.#chunks = chunks
  }
}
