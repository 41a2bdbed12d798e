import { analyseText } from '../../domain/search/analyser.ts'
import { dateWords } from '../../domain/search/dates.ts'
import { tellsOfSelf, tellsWhen } from '../../domain/search/turns.ts'
import { DocTable, type Derived } from './doc-table.ts'
import { SessionOrder } from './session-order.ts'
import type { IndexedRow } from './types.ts'
import { VectorStore } from './vector-store.ts'
import { IN_HEAD, IN_KEY, packEntry, WordIndex } from './word-index.ts'

/** All the index holds of one namespace of one org. */
export interface Partition {
  readonly docs: DocTable
  readonly words: WordIndex
  readonly values: VectorStore
  readonly keys: VectorStore
  readonly sessions: SessionOrder
}

export function createPartition(org: string, namespace: string, dim: number): Partition {
  const docs = new DocTable(org, namespace)
  return {
    docs,
    words: new WordIndex(),
    values: new VectorStore(dim),
    keys: new VectorStore(dim),
    sessions: new SessionOrder(docs),
  }
}

export function partitionBytes(partition: Partition): number {
  const { docs, words, values, keys, sessions } = partition
  return docs.bytes + words.bytes + values.bytes + keys.bytes + sessions.bytes
}

/** The text without the ` (#key)` that it is embedded with: the key's words are counted apart. */
function bodyOf(row: IndexedRow): string {
  if (!row.text.endsWith(')')) return row.text
  const at = row.text.lastIndexOf(' (#')
  if (at < 0) return row.text
  const suffix = row.text.slice(at + 3, -1)
  return suffix.length > 0 && row.memoryKey.startsWith(suffix) ? row.text.slice(0, at) : row.text
}

function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return h >>> 0
}

const TURN = /^([\p{L}\p{M}][\p{L}\p{M}\p{N} .'-]{0,39}):\s/u

function derive(row: IndexedRow, body: string): Derived {
  const isTurn = row.sessionId !== '-'
  const speaker = isTurn ? TURN.exec(body)?.[1] : undefined
  return {
    author: speaker ?? row.actor,
    textLength: body.length,
    bodyHash: hash(body),
    asks: /[?？؟]/.test(body),
    ofSelf: isTurn && tellsOfSelf(body),
    tellsWhen: isTurn && tellsWhen(body),
  }
}

/** Entries of one passage: its own words, and the head (tags, author, date) and key that all passages of a row share. */
function entriesOf(text: string, head: Iterable<string>, key: Iterable<string>): { entries: Map<string, number>; length: number } {
  const { terms, length } = analyseText(text)
  const flags = new Map<string, number>()
  for (const term of head) flags.set(term, IN_HEAD)
  for (const term of key) flags.set(term, (flags.get(term) ?? 0) | IN_KEY)
  const entries = new Map<string, number>()
  for (const [term, frequency] of terms) entries.set(term, packEntry(frequency, flags.get(term) ?? 0))
  for (const [term, flag] of flags) if (!entries.has(term)) entries.set(term, packEntry(0, flag))
  return { entries, length }
}

/** Puts a row in; returns its document number. */
export function addRow(partition: Partition, row: IndexedRow): number {
  const { docs, words, values, keys, sessions } = partition
  const body = bodyOf(row)
  const derived = derive(row, body)
  const doc = docs.add(row, derived)
  const when = dateWords(row.validAt ?? row.createdAt)
  const author = body.startsWith(`${derived.author}:`) ? '' : derived.author
  const head = [...analyseText(`${row.tags.join(' ')} ${author} ${when}`).terms.keys()]
  const key = row.keyIndexed ? [...analyseText(row.memoryKey).terms.keys()] : []
  const own = entriesOf(body, head, key)
  docs.columns.passage[doc] = words.add(doc, -1, own.entries, own.length)
  if (row.chunks.length > 0) {
    docs.chunkPassages.set(
      doc,
      row.chunks.map((chunk, number) => {
        const { entries, length } = entriesOf(chunk, head, key)
        return words.add(doc, number, entries, length)
      }),
    )
  }
  if (row.valueVector !== null) docs.columns.valueRow[doc] = values.add(doc, row.valueVector)
  if (row.keyVector !== null) docs.columns.keyRow[doc] = keys.add(doc, row.keyVector)
  if (row.sessionId !== '-') sessions.add(doc)
  return doc
}

/** Gives a document the vector of its key, unless it has one. */
export function addKeyVector({ docs, keys }: Partition, doc: number, vector: Float32Array): void {
  if (docs.columns.keyRow[doc]! >= 0) return
  docs.columns.keyRow[doc] = keys.add(doc, vector)
  docs.changed()
}

/** Takes a document out, exactly as if it had never been in. */
export function removeDoc(partition: Partition, doc: number): void {
  const { docs, words, values, keys, sessions } = partition
  sessions.remove(doc)
  words.remove(docs.columns.passage[doc]!)
  for (const passage of docs.chunkPassages.get(doc) ?? []) words.remove(passage)
  dropVector(values, docs.columns.valueRow, doc)
  dropVector(keys, docs.columns.keyRow, doc)
  docs.remove(doc)
}

function dropVector(store: VectorStore, rows: Int32Array, doc: number): void {
  const row = rows[doc]!
  if (row < 0) return
  const moved = store.remove(row)
  if (moved >= 0) rows[moved] = row
  rows[doc] = -1
}
