import type { CallInput } from '../../contract/declare.ts'
import type { memoryImport } from '../../contract/ops/memory/import.ts'
import type { memoryBulkSet } from '../../contract/ops/memory/bulk_set.ts'

/** One fact, as memory.import takes it. */
export type Claim = CallInput<typeof memoryImport>['entries'][number]
/** One row of a Loom export, as memory.bulk_set takes it. */
export type Row = CallInput<typeof memoryBulkSet>['entries'][number]

/** Where something stands in a source. */
export interface Place {
  readonly path: string
  /** Counted from 1; null where lines mean nothing. */
  readonly line: number | null
}

/** Why something of a source is no claim, and no fault of the source either. */
export type LeftReason =
  | 'answer'
  | 'question'
  | 'task'
  | 'code'
  | 'machine'
  | 'short'
  | 'deleted'
  | 'retired'
  | 'hidden'
  | 'blocked'
  | 'empty'
  | 'reading'
  | 'not_memory'

/** What cannot be read: the rest of the source goes on. */
export interface Problem extends Place {
  readonly code:
    | 'BAD_ENCODING'
    | 'BAD_JSON'
    | 'BAD_ROW'
    | 'TOO_LONG'
    | 'TOO_DEEP'
    | 'CUT_SHORT'
    | 'BAD_ARCHIVE'
    | 'NOT_RECOGNISED'
    | 'NOT_STORED'
  readonly message: string
}

/** A write besides the rows, of a Loom export. */
export interface Call {
  readonly op:
    | 'namespace.register'
    | 'namespace.register_category'
    | 'memory_schema.register'
    | 'memory_schema.propose'
    | 'memory.assign_category'
    | 'memory.link'
    | 'memory.promote'
    | 'memory.pin'
    | 'memory.lock'
    | 'memory.touch'
    | 'blacklist.add'
    | 'conflicts.resolve'
    | 'learning.record'
    | 'learning.decide'
    | 'profile.set'
  readonly input: Fields
  /** Before the rows that need it, once the rows of the file are there, or once every file was read. */
  readonly when: 'at_once' | 'after_rows' | 'at_end'
}

/** What of a Loom export is no memory: each is put back by the operation that owns it. */
export type PartKind = 'record' | 'document' | 'original' | 'thread' | 'message' | 'run' | 'event' | 'scratch'
export interface Part {
  readonly kind: PartKind
  readonly row: Fields
}

export type Found =
  | { readonly kind: 'claim'; readonly claim: Claim; readonly at: Place }
  | { readonly kind: 'row'; readonly row: Row; readonly at: Place }
  | { readonly kind: 'call'; readonly call: Call; readonly at: Place }
  | { readonly kind: 'part'; readonly part: Part; readonly at: Place }
  | { readonly kind: 'left'; readonly reason: LeftReason }
  | { readonly kind: 'problem'; readonly problem: Problem }

export const left = (reason: LeftReason): Found => ({ kind: 'left', reason })
export const problem = (at: Place, code: Problem['code'], message: string): Found => ({
  kind: 'problem',
  problem: { ...at, code, message },
})

/** Most characters of one claim. */
export const LONGEST_CLAIM = 8000
const LONGEST_TRACE = 1024
const LONGEST_TAG = 128
const MOST_TAGS = 64

export interface About {
  readonly tags?: readonly string[]
  readonly valid_at?: string | undefined
  readonly category?: string
  /** Its id or path in the source. */
  readonly trace: string
}

const cut = (text: string, most: number): string =>
  Array.from(text.slice(0, most * 2))
    .slice(0, most)
    .join('')

/** A text of a source as a claim; what cannot be one is told. */
export function claimOf(text: string, about: About, at: Place): Found {
  const said = text.trim()
  if (said === '') return left('empty')
  if (said.length > LONGEST_CLAIM)
    return problem(at, 'TOO_LONG', `${said.length} characters are too many for one claim (${LONGEST_CLAIM}). Keep long texts as documents.`)
  // Postgres stores neither, and JSON carries no lone half of a character.
  if (/[\0\p{Cs}]/u.test(said)) return problem(at, 'BAD_ENCODING', 'The text holds NUL or half a character. Nothing of it was taken.')
  const tags = [
    ...new Set((about.tags ?? []).map((tag) => cut(tag.replaceAll(/[\0\p{Cs}]/gu, '').trim(), LONGEST_TAG)).filter((tag) => tag !== '')),
  ]
  const claim: Claim = {
    text: said,
    tags: tags.slice(0, MOST_TAGS),
    source_trace: cut(about.trace.replaceAll(/[\0\p{Cs}]/gu, ''), LONGEST_TRACE),
    category: cut((about.category ?? '').replaceAll(/[\0\p{Cs}]/gu, ''), LONGEST_TAG),
    ...(about.valid_at !== undefined && { valid_at: about.valid_at }),
  }
  return { kind: 'claim', claim, at }
}

const EPOCH_MS_FROM = 100_000_000_000

/** An instant as sources write it: ISO 8601, or seconds or milliseconds since 1970. Undefined where it is none. */
export function instantOf(value: unknown): string | undefined {
  const asked = typeof value === 'string' && /^\d{9,13}(\.\d+)?$/.test(value.trim()) ? Number(value) : value
  const ms =
    typeof asked === 'number' || typeof asked === 'bigint'
      ? Number(asked) * (Math.abs(Number(asked)) < EPOCH_MS_FROM ? 1000 : 1)
      : asked instanceof Date
        ? asked.getTime()
        : typeof asked === 'string' && /^\d{4}-\d\d-\d\d/.test(asked.trim())
          ? Date.parse(withZone(asked.trim()))
          : Number.NaN
  if (!Number.isFinite(ms)) return undefined
  const at = new Date(ms)
  if (Number.isNaN(at.getTime())) return undefined
  const year = at.getUTCFullYear()
  return year >= 1 && year <= 9999 ? at.toISOString() : undefined
}

/** A time without a zone is UTC, as everywhere in Loom. */
function withZone(text: string): string {
  const iso = text.replace(' ', 'T').replace(/ ?UTC$/, 'Z')
  return /T/.test(iso) && !/(Z|[+-]\d\d:?\d\d)$/i.test(iso) ? `${iso}Z` : iso
}

export type Fields = Readonly<Record<string, unknown>>
export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
export const textIn = (fields: Fields, name: string): string => (typeof fields[name] === 'string' ? fields[name] : '')
export const listIn = (fields: Fields, name: string): readonly unknown[] =>
  Array.isArray(fields[name]) ? (fields[name] as readonly unknown[]) : []
export const textsIn = (fields: Fields, name: string): string[] =>
  listIn(fields, name).filter((one): one is string => typeof one === 'string')
