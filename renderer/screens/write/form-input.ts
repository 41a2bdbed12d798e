import { MemoryKey, Str, Tags, type Json, type MemoryType } from '../../../shared/contract/common.ts'
import { isLoomError } from '../../../shared/contract/errors.ts'
import { parseJson } from '../../../shared/contract/json.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { isPlaceName } from '../../data/places.ts'
import type { ReadRow } from '../../data/queries.ts'
import { looksSecret, withoutSecrets } from '../../text/secret.ts'
import { suggestKeys } from '../../text/suggest-key.ts'
import { readableValue } from '../../text/value-text.ts'
import { PROBLEMS as say } from './strings.ts'

/** What a person has put into the form. */
export interface Fields {
  readonly namespace: string
  readonly text: string
  /** "" while the suggestion stands. */
  readonly key: string
  readonly tags: readonly string[]
  readonly type: MemoryType
  /** Dates as the date field gives them, `2026-09-01`, or "". */
  readonly since: string
  readonly until: string
}

export type Problems = Partial<Record<'text' | 'key' | 'tags' | 'namespace' | 'until', string>>

export const isJsonRow = (row: ReadRow | null): boolean => row !== null && typeof row.value !== 'string'

export function fieldsOf(row: ReadRow): Fields {
  return {
    namespace: row.namespace,
    text: readableValue(row.value ?? undefined).text,
    key: row.memory_key,
    tags: row.tags,
    type: row.memory_type,
    since: row.valid_at?.slice(0, 10) ?? '',
    until: row.valid_to?.slice(0, 10) ?? '',
  }
}

const sameTags = (a: readonly string[], b: readonly string[]): boolean => {
  const plain = (tags: readonly string[]): string =>
    tags
      .map((tag) => tag.toLowerCase())
      .toSorted()
      .join('\n')
  return plain(a) === plain(b)
}

/** True where saving would leave the row as it is. */
export function isUnchanged(fields: Fields, row: ReadRow): boolean {
  const had = fieldsOf(row)
  return (
    fields.text.trim() === had.text.trim() &&
    sameTags(fields.tags, had.tags) &&
    fields.type === had.type &&
    fields.since === had.since &&
    fields.until === had.until
  )
}

function readJson(text: string): { value: Json } | { problem: string } {
  try {
    return { value: parseJson(text) as Json }
  } catch (error) {
    return { problem: isLoomError(error) ? say.notJson : String(error) }
  }
}

/** What stands against saving; empty when nothing does. The same rules as the contract's, said before any call. */
export function problemsOf(fields: Fields, key: string, json: boolean): Problems {
  const problems: Problems = {}
  if (fields.text.trim() && !Str.safeParse(fields.text).success) problems.text = say.badText
  if (json && fields.text.trim()) {
    const read = readJson(fields.text)
    if ('problem' in read) problems.text = read.problem
  }
  if (key && !MemoryKey.safeParse(key).success) problems.key = say.badKey
  else if (looksSecret(key)) problems.key = say.secretKey
  else if (!key && fields.text.trim() && !suggestKeys(withoutSecrets(fields.text)).length) problems.key = say.noKey
  if (!Tags.safeParse(fields.tags).success) problems.tags = fields.tags.length > 64 ? say.manyTags : say.badTag
  if (fields.namespace && !isPlaceName(fields.namespace)) problems.namespace = say.badNamespace
  if (fields.since && fields.until && fields.until <= fields.since) problems.until = say.badUntil
  return problems
}

/** A level the writer stated stays; one that Loom found in the text is found, or not, in the new text. */
function statedSensitivity(row: ReadRow): ReadRow['sensitivity'] {
  const text = readableValue(row.value ?? undefined).text
  return row.sensitivity === 'high' && looksSecret(text) ? '' : row.sensitivity === 'medium' ? '' : row.sensitivity
}

/**
 * What a change of value would otherwise drop (the contract: those fields are the call's alone), and the hash it was
 * made on.
 */
function keptFrom(row: ReadRow): Partial<CallInputOf<'memory.set'>> {
  return {
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    if_match_sha256: row.content_sha256,
    entities: row.entities,
    relations: row.relations.map(({ subject, predicate, object }) => [subject, predicate, object]),
    sensitivity: statedSensitivity(row),
    ...(row.files.length ? { files: row.files } : {}),
  }
}

function dates(fields: Fields, base: ReadRow | null): Partial<CallInputOf<'memory.set'>> {
  const kept = (iso: string | null, day: string): string | null => (iso?.slice(0, 10) === day ? iso : day || null)
  const since = kept(base?.valid_at ?? null, fields.since)
  const until = kept(base?.valid_to ?? null, fields.until)
  return {
    ...(since || base?.valid_at ? { valid_at: since } : {}),
    ...(until || base?.valid_to ? { valid_to: until } : {}),
  }
}

/** What the form leaves open, a row that is revised by naming its key has already. */
export function filledFrom(fields: Fields, row: ReadRow): Fields {
  const had = fieldsOf(row)
  return {
    ...fields,
    tags: fields.tags.length ? fields.tags : had.tags,
    type: fields.type === 'semantic' ? had.type : fields.type,
    since: fields.since || had.since,
    until: fields.until || had.until,
  }
}

export interface Basis {
  /** The row that is revised; null for a new key. */
  readonly row: ReadRow | null
  /** Found by its key alone: the form then shows the new text, and not what the row had besides. */
  readonly byKey: boolean
  readonly json: boolean
}

/** The call that the form stands for. */
export function setInput(given: Fields, key: string, { row, byKey, json }: Basis): CallInputOf<'memory.set'> {
  const fields = row && byKey ? filledFrom(given, row) : given
  const read = json ? readJson(fields.text) : null
  return {
    ...(row ? keptFrom(row) : {}),
    ...(fields.namespace ? { namespace: fields.namespace } : {}),
    memory_key: key,
    value: read && 'value' in read ? read.value : fields.text.trim(),
    tags: [...fields.tags],
    ...(row || fields.type !== 'semantic' ? { memory_type: fields.type } : {}),
    ...dates(fields, row),
  }
}

/** The call that puts a revised row back as it was, on condition that nobody wrote since. */
export function putBackInput(row: ReadRow, writtenSha256: string): CallInputOf<'memory.set'> {
  return {
    ...setInput(fieldsOf(row), row.memory_key, { row, byKey: false, json: isJsonRow(row) }),
    value: row.value,
    sensitivity: row.sensitivity,
    if_match_sha256: writtenSha256,
  }
}
