import { claimOf, instantOf, problem, type Fields, type Found, type Place } from './found.ts'

/** Which column or member of a record is which field of a claim. */
export interface Columns {
  readonly text?: string | undefined
  readonly tags?: string | undefined
  readonly valid_at?: string | undefined
  readonly category?: string | undefined
  readonly source_trace?: string | undefined
}

export const COLUMN_FIELDS = ['text', 'tags', 'valid_at', 'category', 'source_trace'] as const

/** Names under which such columns are found where nobody says which they are, best first. */
const USUAL: Readonly<Record<(typeof COLUMN_FIELDS)[number], readonly string[]>> = {
  text: ['text', 'memory', 'fact', 'claim', 'content', 'observation', 'note', 'value', 'statement', 'body', 'message', 'description'],
  tags: ['tags', 'labels', 'keywords', 'categories'],
  valid_at: ['valid_at', 'created_at', 'date', 'created', 'timestamp', 'time', 'updated_at'],
  category: ['category', 'kind', 'type'],
  source_trace: ['source_trace', 'id', 'uuid', 'key', 'url', 'source'],
}

/** The columns to read of these, as named, else by their usual names. Null: none of them holds a text. */
export function columnsOf(names: readonly string[], given: Columns): Columns | null {
  const byName = new Map(names.map((name) => [name.trim().toLowerCase(), name]))
  const found = Object.fromEntries(
    COLUMN_FIELDS.map((field) => {
      const asked = given[field]
      if (asked !== undefined) return [field, byName.get(asked.trim().toLowerCase())]
      return [field, USUAL[field].map((name) => byName.get(name)).find((name) => name !== undefined)]
    }),
  ) as Columns
  return found.text === undefined ? null : found
}

const asText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
      ? String(value)
      : ''

function tagsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(asText)
  const text = asText(value).trim()
  return text === '' ? [] : text.split(/[,;|]/).map((tag) => tag.trim().replace(/^#/, ''))
}

/** A record as a claim, by these columns. */
export function claimOfRecord(record: Fields, columns: Columns, at: Place): Found {
  const value = (field: (typeof COLUMN_FIELDS)[number]): unknown => (columns[field] === undefined ? undefined : record[columns[field]])
  const text = asText(value('text'))
  if (text.trim() === '') return problem(at, 'BAD_ROW', `The row has no text in ${columns.text ?? 'text'}.`)
  const trace = asText(value('source_trace')) || `${at.path}${at.line === null ? '' : `:${at.line}`}`
  const about = { tags: tagsOf(value('tags')), valid_at: instantOf(value('valid_at')), category: asText(value('category')), trace }
  return claimOf(text, about, at)
}
