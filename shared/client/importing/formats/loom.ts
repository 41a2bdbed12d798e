import { EXPORT_FORM } from '../../../contract/export-order.ts'
import type { SourceFile } from '../bytes.ts'
import {
  isFields,
  left,
  problem,
  textIn,
  textsIn,
  type Call,
  type Fields,
  type Found,
  type PartKind,
  type Place,
  type Row,
} from '../found.ts'
import type { Head } from '../head.ts'
import { readLines } from '../json-lines.ts'
import type { Importer } from '../importer.ts'

/**
 * Loom's own export: lines of `{"loom_export": 2, "section": …}`, each before the rows of its section. Rows of memory are
 * written by memory.bulk_set under their own keys; what hangs on them follows. The other sections are put back by the
 * operations that own them. History, chunks and the ledger of calls are for reading.
 */

/** A note that an export writes beside its rows, for reading. */
const isNote = (text: string): boolean => /^---\r?\nmemory_key: [^]*?\nsource_class: /.test(text)

const recognises = (head: Head): boolean => head.records[0]?.['loom_export'] !== undefined || isNote(head.text)

const LIVE = new Set(['active', 'conflicted', 'duplicate'])
const OWN = ['agent', 'user_id', 'session_id', 'memory_key'] as const

const placeOf = (row: Fields): Record<string, unknown> => Object.fromEntries(OWN.map((field) => [field, row[field]]))
const levelOf = (row: Fields): Fields => (textIn(row, 'sensitivity') === '' ? {} : { sensitivity: row['sensitivity'] })

type Caller = (op: Call['op'], when: Call['when'], input: Fields) => Found
const callsAt =
  (at: Place): Caller =>
  (op, when, input) => ({ kind: 'call', call: { op, when, input }, at })

function* memoryRow(row: Fields, at: Place): Generator<Found> {
  const isTrial = row['status'] === 'proposed' && row['proposed'] === true
  if (!(LIVE.has(textIn(row, 'status')) || isTrial) || row['redacted'] === true) return yield left('retired')
  const { ignored_args: _ignored, row_kind: _kind, pinned, ...rest } = row
  yield { kind: 'row', row: rest as Row, at }
  const call = callsAt(at)
  const own = (op: Call['op'], when: Call['when'], input: Fields): Found => call(op, when, { ...placeOf(row), ...input })
  const ends = textIn(row, 'expires_at')
  const isOwnEnd = ends !== '' && ends !== row['valid_to'] && !textIn(row, 'expire_reason').startsWith('retention:')
  if (isOwnEnd) yield own('memory.touch', 'after_rows', { until: ends, on_expire: row['on_expire'], expire_reason: row['expire_reason'] })
  for (const category of textsIn(row, 'categories'))
    yield call('memory.assign_category', 'after_rows', { memory_key: row['memory_key'], category })
  // Once all rows are there: near a pinned one, others would be refused.
  if (pinned === true) yield own('memory.pin', 'after_rows', { value: row['value'], ...levelOf(row) })
  const { lock } = row
  if (isFields(lock))
    yield own('memory.lock', 'at_end', {
      mode: lock['mode'],
      reason: lock['reason'],
      ...(typeof lock['until'] === 'string' && { until: lock['until'] }),
    })
}

/** Named by the keys and owners of its two rows. */
function agreedPair(row: Fields): Fields {
  const side = (name: string): Record<string, unknown> => Object.fromEntries(OWN.map((field) => [field, row[`${name}_${field}`]]))
  return {
    ...side('row'),
    peer_key: row['peer_memory_key'],
    resolution: 'keep_both',
    swapped: { ...side('peer'), peer_key: row['row_memory_key'] },
  }
}

function* learning(row: Fields, call: Caller): Generator<Found> {
  const { value } = row
  if (!isFields(value)) return yield left('reading')
  yield call('learning.record', 'after_rows', { ...placeOf(row), lesson: value['claim'], situation: value['situation'], ...levelOf(row) })
  if (row['stands'] === 'kept') yield call('learning.decide', 'after_rows', { ...placeOf(row), decision: 'keep', reason: row['reason'] })
}

function* profile(row: Fields, call: Caller): Generator<Found> {
  const parts = textIn(row, 'memory_key').split('/')
  const [kind, subject = '', attribute] = parts
  if (kind !== 'profile' || parts.length !== 3) return yield left('reading')
  const { agent, user_id, session_id, value } = row
  const decoded = subject.replaceAll('%2F', '/').replaceAll('%25', '%')
  const built_from = textsIn(row, 'built_from')
  yield call('profile.set', 'after_rows', { agent, user_id, session_id, subject: decoded, attribute, value, built_from, ...levelOf(row) })
}

/** Of the two ends of a link, where it is one: a key may be held by several. */
function sharedOwner(row: Fields): Fields {
  const names = ['agent', 'user_id', 'session_id'] as const
  const isOne = names.every((name) => row[`from_${name}`] !== undefined && row[`from_${name}`] === row[`to_${name}`])
  return isOne ? Object.fromEntries(names.map((name) => [name, row[`from_${name}`]])) : {}
}

function* linkRow(row: Fields, at: Place): Generator<Found> {
  const call = callsAt(at)
  switch (row['row_kind']) {
    case 'link': {
      const { from_key, to_key, relation, note } = row
      return yield call('memory.link', 'after_rows', { ...sharedOwner(row), memory_key: from_key, to_key, relation, note })
    }
    case 'shared': {
      // What its owner changed since is not for the readers of the copy; nor is what another namespace put there.
      if (row['namespace'] !== row['from_namespace'] || row['is_level'] === false) return yield left('reading')
      return yield call('memory.promote', 'after_rows', { ...placeOf(row), note: row['note'] })
    }
    case 'agreed':
      return yield call('conflicts.resolve', 'after_rows', agreedPair(row))
    case 'learning':
      return yield* learning(row, call)
    case 'sources':
      return yield* profile(row, call)
    default:
      yield left('reading')
  }
}

function* settingRow(row: Fields, at: Place): Generator<Found> {
  const call = callsAt(at)
  if (row['row_kind'] === 'namespace' && isFields(row['settings'])) {
    // Rows are stored as they stood: what the policy does to one that contradicts another, it did where they come from.
    const { default_conflict_policy, ...settings } = row['settings']
    if (Object.keys(settings).length > 0) yield call('namespace.register', 'at_once', settings)
    if (default_conflict_policy !== undefined) yield call('namespace.register', 'at_end', { default_conflict_policy })
  } else if (row['row_kind'] === 'category') {
    const { category, description, retired } = row
    // A retired one takes no links: it is retired when they are there.
    yield call('namespace.register_category', 'at_once', { category, description })
    if (retired === true) yield call('namespace.register_category', 'at_end', { category, description, retired })
  } else if (row['row_kind'] === 'blacklist') {
    // Rows that it left standing are not to be refused.
    const { pattern, pattern_type, reason, created_by } = row
    yield call('blacklist.add', 'at_end', { pattern, pattern_type, reason, created_by })
  } else yield left('reading')
}

function* schemaRow(row: Fields, at: Place): Generator<Found> {
  const { schema, description, fields, status, reason } = row
  const call = callsAt(at)
  if (status === 'active') yield call('memory_schema.register', 'at_once', { schema, description, fields })
  else if (status === 'proposed') yield call('memory_schema.propose', 'at_once', { schema, description, fields, reason })
  else yield left('reading')
}

/** Rows of other sections, by what they are. */
const PARTS: Readonly<Record<string, PartKind>> = {
  record: 'record',
  document: 'document',
  original: 'original',
  thread: 'thread',
  message: 'message',
  run: 'run',
  event: 'event',
  value: 'scratch',
}

function* partRow(row: Fields, at: Place): Generator<Found> {
  const kind = PARTS[textIn(row, 'row_kind')]
  if (kind) yield { kind: 'part', part: { kind, row }, at }
  else yield left('reading')
}

type Read = (row: Fields, at: Place) => Iterable<Found>
const SECTIONS: Readonly<Record<string, Read>> = {
  memory: memoryRow,
  links: linkRow,
  settings: settingRow,
  schemas: schemaRow,
  records: partRow,
  knowledge: partRow,
  conversations: partRow,
  runs: partRow,
  working_memory: partRow,
}

/** A document may be as large as a request, and JSON writes some of its characters in six. */
const LONGEST_ROW = 256 * 1024 * 1024

async function* read(file: SourceFile, head: Head): AsyncGenerator<Found> {
  if (isNote(head.text)) return yield left('reading')
  let section: Read | null = null
  const rows = function* (row: Fields, at: Place): Generator<Found> {
    const form = row['loom_export']
    if (form !== undefined) {
      const isKnown = typeof form === 'number' && form >= 1 && form <= EXPORT_FORM
      if (!isKnown) yield problem(at, 'NOT_RECOGNISED', 'A newer Loom wrote this export. Read it with that one.')
      const name = textIn(row, 'section')
      // In the first form runs stand behind the rows that they used, and would tell them of their outcome again.
      section = isKnown && !(form === 1 && name === 'runs') ? (SECTIONS[name] ?? null) : null
    } else if (section) yield* section(row, at)
    else yield left('reading')
  }
  yield* readLines(file, rows, LONGEST_ROW)
}

export const loom: Importer = { recognises, read }
