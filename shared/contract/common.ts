import { z } from 'zod'

/** Types that many operations share. Sources: the contract's "Common types" and "Enumerations". */

// Lone surrogates and NUL cannot be stored as text by Postgres, nor sent as UTF-8.
const WELL_FORMED = /^[^\0\p{Cs}]*$/u
const PLAIN = /^[^\p{Cc}\p{Cs}]*$/u
const KEY = /^(?!\s)[^\p{Cc}\p{Cs}]+(?<!\s)$/u

export const Str = z.string().regex(WELL_FORMED, 'must be Unicode without NUL and without lone surrogates')
export const Name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,126}$/, 'must be 1 to 127 of a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit')
export const AgentName = z.string().min(1).max(200).regex(PLAIN, 'must have no control characters')
export const SubjectName = z.string().max(200).regex(PLAIN, 'must have no control characters')
export const MemoryKey = z.string().min(1).max(512).regex(KEY, 'must have no control characters and no white space at its ends')

export const Tag = Str.min(1).max(128)
export const Tags = z.array(Tag).max(64)
export const Entity = Str.min(1).max(256)

function readInteger(input: unknown): bigint | null {
  if (typeof input === 'bigint') return input
  if (typeof input === 'number' && Number.isSafeInteger(input)) return BigInt(input)
  if (typeof input === 'string' && /^\d{1,20}$/.test(input)) return BigInt(input)
  return null
}

const TOP = 2n ** 64n - 1n
const isU64 = (input: unknown): boolean => {
  const read = readInteger(input)
  return read !== null && read >= 0n && read <= TOP
}

/** An unsigned 64-bit integer in a call: a JSON integer, exact past 2^53, or its decimal text. */
export const U64In = z
  .custom<bigint | number | string>(isU64, 'must be an unsigned 64-bit integer, or its decimal text')
  .meta({
    anyOf: [
      { type: 'integer', format: 'uint64', minimum: 0 },
      { type: 'string', pattern: '^[0-9]{1,19}$' },
    ],
  })
  .transform((input) => readInteger(input) ?? 0n)

/** An unsigned 64-bit integer in an answer. */
export const U64 = z.custom<bigint>((input) => typeof input === 'bigint').meta({ type: 'integer', format: 'uint64', minimum: 0 })

const DATETIME =
  /^(?!0000)\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|[12]\d))(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/

function toUtc(input: string): string | null {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d{1,9})?([Zz]|[+-]\d\d:?\d\d)?)?$/.exec(input)
  if (!parts) return null
  const [, date, minutes = '00:00', seconds = ':00', fraction = '', offset = 'Z'] = parts
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase()
  const at = new Date(`${date}T${minutes}${seconds}${fraction.slice(0, 4)}${zone}`)
  // 29 February of a year that has none must not roll over into March.
  if (Number.isNaN(at.getTime()) || new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(date?.slice(8))) return null
  // An offset may lead out of the years that four digits can name, and that Postgres knows.
  const utc = at.toISOString()
  return /^(?!0000)\d{4}-/.test(utc) ? utc : null
}

/** ISO 8601; without an offset it is UTC. Parsed to UTC with milliseconds and `Z`. */
export const DateTimeIn = z
  .string()
  .regex(DATETIME, 'must be an ISO 8601 date or date-time')
  .meta({ format: 'date-time' })
  .transform((input, context) => {
    const utc = toUtc(input)
    if (utc === null) context.addIssue({ code: 'custom', message: 'names a day that does not exist' })
    return utc ?? ''
  })
export const DateTime = z.string().meta({ format: 'date-time' })

const DEEPEST_VALUE = 64

function whyNotJson(value: unknown, depth: number): string | null {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'holds a number out of range'
  if (typeof value === 'string') return WELL_FORMED.test(value) ? null : 'holds NUL or a lone surrogate'
  if (typeof value !== 'object') return 'is not JSON'
  if (depth >= DEEPEST_VALUE) return `nests deeper than ${DEEPEST_VALUE} levels`
  for (const [name, member] of Object.entries(value)) {
    if (!WELL_FORMED.test(name)) return 'holds NUL or a lone surrogate in a name'
    const why = whyNotJson(member, depth + 1)
    if (why) return why
  }
  return null
}

/** Any JSON value, at most 64 levels deep. Integers past 2^53 are bigint. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [name: string]: Json }
export const JsonValue = z
  .custom<Json>((value) => value !== undefined)
  .superRefine((value, context) => {
    const why = whyNotJson(value, 0)
    if (why) context.addIssue({ code: 'custom', message: why })
  })
  .meta({ description: 'Any JSON value, at most 64 levels deep.' })

export const MemoryType = z.enum(['semantic', 'episodic', 'profile', 'procedural'])
export const Status = z.enum(['active', 'conflicted', 'duplicate', 'superseded', 'rejected', 'proposed', 'redirect', 'tombstoned'])
export const ConflictVerdict = z.enum(['clear', 'merge', 'duplicate', 'conflict', 'rejected', ''])
export const Sensitivity = z.enum(['high', 'medium', 'low', ''])
export const SourceClass = z.enum(['user', 'agent', 'system', 'external', 'imported', 'derived'])
export const OnExpire = z.enum(['tombstone', 'demote', 'anonymize'])
export const LockMode = z.enum(['read_only', 'no_delete'])
export const ROLES = ['viewer', 'writer', 'admin', 'org_admin', 'platform_admin'] as const
export type Role = (typeof ROLES)[number]
export type MemoryType = z.infer<typeof MemoryType>
export type Status = z.infer<typeof Status>
export type ConflictVerdict = z.infer<typeof ConflictVerdict>
export type Sensitivity = z.infer<typeof Sensitivity>
export type SourceClass = z.infer<typeof SourceClass>
export type OnExpire = z.infer<typeof OnExpire>
export type LockMode = z.infer<typeof LockMode>

/** The address of a row without its key. Left out, fields are filled from the token and the transport. */
export const id5 = {
  org: Name.optional().describe('Organisation; filled from the token or the install.'),
  namespace: Name.optional().describe('Namespace; filled from the token or the install.'),
  agent: AgentName.optional().describe('Agent; filled from the token, the MCP client or the install.'),
  user_id: SubjectName.optional().describe('User; "-" means none.'),
  session_id: SubjectName.optional().describe('Session; "-" means none.'),
}
export const ID5_FIELDS = ['org', 'namespace', 'agent', 'user_id', 'session_id'] as const

export const Peer = z.object({
  memory_key: z.string(),
  memory_id: z.string(),
  excerpt: z.string().max(200),
  similarity: z.number().min(0).max(1),
  relation: z.enum(['same', 'restates', 'refines', 'contradicts', 'pinned']),
  reason: z.string(),
  confidence: z.number().min(0).max(1),
  status: Status,
})
export type Peer = z.infer<typeof Peer>

export const Lock = z.object({
  mode: LockMode,
  reason: z.string(),
  locked_by: z.string(),
  until: DateTime.nullable(),
  actor: z.string(),
  at: DateTime,
})
export type Lock = z.infer<typeof Lock>

export const Triple = z.tuple([Str.min(1).max(256), Str.min(1).max(256), Str.min(1).max(256)])

/** `limit` and `cursor` of a list, and the cursor of its answer. */
export const page = (byDefault: number, most: number) => ({
  limit: z.int().min(1).max(most).default(byDefault),
  cursor: Str.max(4096).optional().describe('next_cursor of the page before.'),
})
export const nextCursor = { next_cursor: z.string().nullable() }
