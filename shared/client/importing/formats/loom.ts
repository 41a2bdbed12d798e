import type { SourceFile } from '../bytes.ts'
import { isFields, left, problem, textIn, type Call, type Fields, type Found, type Place, type Row } from '../found.ts'
import type { Head } from '../head.ts'
import { readLines } from '../json-lines.ts'
import type { Importer } from '../importer.ts'

/**
 * Loom's own export: lines of `{"loom_export": 1, "section": …}`, each before the rows of its section. Rows of memory are
 * written by memory.bulk_set under their own keys; what hangs on them follows. Schemas and records are registered and written
 * as they stand. History, runs and documents are for reading.
 */

/** A note that an export writes beside its rows, for reading. */
const isNote = (text: string): boolean => /^---\r?\nmemory_key: [^]*?\nsource_class: /.test(text)

const recognises = (head: Head): boolean => head.records[0]?.['loom_export'] !== undefined || isNote(head.text)

const LIVE = new Set(['active', 'conflicted', 'duplicate'])
const OWN = ['agent', 'user_id', 'session_id', 'memory_key'] as const

const placeOf = (row: Fields): Record<string, unknown> => Object.fromEntries(OWN.map((field) => [field, row[field]]))

function* memoryRow(row: Fields, at: Place): Generator<Found> {
  if (!LIVE.has(textIn(row, 'status')) || row['redacted'] === true) return yield left('retired')
  const { ignored_args: _ignored, row_kind: _kind, ...rest } = row
  yield { kind: 'row', row: rest as Row, at }
  const call = (op: Call['op'], input: Fields): Found => ({ kind: 'call', call: { op, input: { ...placeOf(row), ...input } }, at })
  const ends = textIn(row, 'expires_at')
  const isOwnEnd = ends !== '' && ends !== row['valid_to'] && !textIn(row, 'expire_reason').startsWith('retention:')
  if (isOwnEnd) yield call('memory.touch', { until: ends, on_expire: row['on_expire'] })
  for (const category of Array.isArray(row['categories']) ? (row['categories'] as unknown[]) : [])
    yield { kind: 'call', call: { op: 'memory.assign_category', input: { memory_key: row['memory_key'], category } }, at }
  const { lock } = row
  if (isFields(lock))
    yield call('memory.lock', {
      mode: lock['mode'],
      reason: lock['reason'],
      ...(typeof lock['until'] === 'string' && { until: lock['until'] }),
    })
}

function* linkRow(row: Fields, at: Place): Generator<Found> {
  if (row['row_kind'] === 'link') {
    const { from_key, to_key, relation, note } = row
    yield { kind: 'call', call: { op: 'memory.link', input: { memory_key: from_key, to_key, relation, note } }, at }
  } else if (row['row_kind'] === 'shared' && row['namespace'] === row['from_namespace'])
    yield { kind: 'call', call: { op: 'memory.promote', input: { ...placeOf(row), note: row['note'] } }, at }
  else yield left('not_memory')
}

function* settingRow(row: Fields, at: Place): Generator<Found> {
  if (row['row_kind'] === 'namespace' && isFields(row['settings'])) {
    if (Object.keys(row['settings']).length > 0) yield { kind: 'call', call: { op: 'namespace.register', input: row['settings'] }, at }
  } else if (row['row_kind'] === 'category') {
    const { category, description, retired } = row
    yield { kind: 'call', call: { op: 'namespace.register_category', input: { category, description, retired } }, at }
  } else yield left('not_memory')
}

function* schemaRow(row: Fields, at: Place): Generator<Found> {
  const { schema, description, fields } = row
  if (row['status'] === 'active') yield { kind: 'call', call: { op: 'memory_schema.register', input: { schema, description, fields } }, at }
  else yield left('retired')
}

const LOWEST = new Set(['external', 'imported', 'derived'])

function* recordRow(row: Fields, at: Place): Generator<Found> {
  if (row['row_kind'] !== 'record') return yield left('not_memory')
  const { agent, user_id, session_id, schema, fields, record_key, source_class, source_trace, source_resource_id } = row
  const input = {
    agent,
    user_id,
    session_id,
    schema,
    fields,
    source_trace,
    source_resource_id,
    ...(row['key_source'] === 'given' && { record_key }),
    ...(LOWEST.has(textIn(row, 'source_class')) && { source_class }),
  }
  yield { kind: 'call', call: { op: 'memory.record.write', input }, at }
}

const SECTIONS: Readonly<Record<string, (row: Fields, at: Place) => Iterable<Found>>> = {
  memory: memoryRow,
  links: linkRow,
  settings: settingRow,
  schemas: schemaRow,
  records: recordRow,
}

async function* read(file: SourceFile, head: Head): AsyncGenerator<Found> {
  if (isNote(head.text)) return yield left('not_memory')
  let section = ''
  yield* readLines(file, function* (row, at) {
    if (row['loom_export'] !== undefined) {
      if (row['loom_export'] !== 1) yield problem(at, 'NOT_RECOGNISED', 'A newer Loom wrote this export. Read it with that one.')
      section = row['loom_export'] === 1 ? textIn(row, 'section') : ''
      return
    }
    const read = SECTIONS[section]
    if (read) yield* read(row, at)
    else yield left('not_memory')
  })
}

export const loom: Importer = { recognises, read }
