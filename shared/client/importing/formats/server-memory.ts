import type { SourceFile } from '../bytes.ts'
import { claimOf, left, textIn, textsIn, type Fields, type Found, type Place } from '../found.ts'
import type { Head } from '../head.ts'
import { readDocument, readLines } from '../json-lines.ts'
import type { Importer } from '../importer.ts'

/** memory.jsonl of the MCP server "memory": a graph of entities with observations, and relations. */

const isEntity = (record: Fields): boolean => typeof record['name'] === 'string' && Array.isArray(record['observations'])
const isRelation = (record: Fields): boolean =>
  typeof record['from'] === 'string' && typeof record['to'] === 'string' && typeof record['relationType'] === 'string'

const recognises = (head: Head): boolean =>
  head.records.some((record) => isEntity(record) || isRelation(record)) ||
  (head.isDocument && ((head.has('observations') && head.has('entityType')) || head.has('relationType')))

const words = (name: string): string => name.replaceAll('_', ' ').trim()

function* readRecord(record: Fields, at: Place): Generator<Found> {
  if (isRelation(record)) {
    const [from, to, type] = [textIn(record, 'from'), textIn(record, 'to'), textIn(record, 'relationType')]
    return yield claimOf(
      `${words(from)} ${words(type)} ${words(to)}.`,
      { tags: ['relation'], trace: `server-memory/${from}/${type}/${to}` },
      at,
    )
  }
  if (!isEntity(record)) return yield left('not_memory')
  const name = textIn(record, 'name')
  const type = textIn(record, 'entityType')
  for (const observation of textsIn(record, 'observations')) {
    const named = observation.toLowerCase().includes(words(name).toLowerCase())
    const text = named || observation.trim() === '' ? observation : `${words(name)}: ${observation}`
    yield claimOf(text, { tags: type === '' ? [] : [type], trace: `server-memory/${name}` }, at)
  }
}

async function* read(file: SourceFile, head: Head): AsyncGenerator<Found> {
  yield* head.records.some((record) => isEntity(record) || isRelation(record))
    ? readLines(file, readRecord)
    : readDocument(file, readRecord)
}

export const serverMemory: Importer = { recognises, read }
