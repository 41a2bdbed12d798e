import type { SourceFile } from '../bytes.ts'
import { claimOf, instantOf, isFields, left, textIn, textsIn, type Fields, type Found, type Place } from '../found.ts'
import type { Head } from '../head.ts'
import { readDocument, readLines } from '../json-lines.ts'
import type { Importer } from '../importer.ts'

/** What mem0 gives (an array, `results`, or a record a line) and what OpenMemory exports (`memories` of an object). */

const isMem0 = (record: Fields): boolean => typeof record['memory'] === 'string' && ('id' in record || 'user_id' in record)
const isOpenMemory = (record: Fields): boolean => typeof record['content'] === 'string' && 'id' in record && 'state' in record

const inLines = (head: Head): boolean => head.records.some((record) => isMem0(record) || isOpenMemory(record))

const recognises = (head: Head): boolean =>
  inLines(head) ||
  (head.isDocument &&
    ((head.has('memory') && head.has('id')) || (head.has('memories') && head.has('content') && (head.has('state') || head.has('app_id')))))

/** Arrays of an OpenMemory export that hold no memories. */
const BESIDE = new Set(['apps', 'categories', 'memory_categories', 'status_history', 'access_controls', 'memory_access_logs', 'relations'])
const GONE = new Set(['deleted', 'archived', 'paused'])

function* readRecord(record: Fields, at: Place, key: string): Generator<Found> {
  if (BESIDE.has(key)) return yield left('not_memory')
  const text = textIn(record, 'memory') || textIn(record, 'content') || textIn(record, 'text')
  if (text === '') return yield left('not_memory')
  if (GONE.has(textIn(record, 'state')) || record['deleted_at']) return yield left('deleted')
  const metadata = isFields(record['metadata']) ? record['metadata'] : isFields(record['metadata_']) ? record['metadata_'] : {}
  const tags = [...textsIn(record, 'categories'), ...textsIn(record, 'tags'), ...textsIn(metadata, 'tags')]
  const id = typeof record['id'] === 'string' || typeof record['id'] === 'number' ? String(record['id']) : ''
  const valid_at = instantOf(record['created_at']) ?? instantOf(record['updated_at'])
  yield claimOf(text, { tags, valid_at, category: textIn(metadata, 'category'), trace: `mem0/${id}` }, at)
}

async function* read(file: SourceFile, head: Head): AsyncGenerator<Found> {
  yield* inLines(head) && !head.has('memories') ? readLines(file, readRecord) : readDocument(file, readRecord)
}

export const mem0: Importer = { recognises, read }
