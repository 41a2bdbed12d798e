import { createHash } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import { stringifyJson } from '../../contract/json.ts'
import type { Reader } from '../db/database.ts'
import { readCursor, writeCursor } from '../store/cursor.ts'
import type { ListInput } from './list-filter.ts'

/** What each order sorts by, as text or a comparable value; nulls come last whatever the direction. */
const SORT_KEYS: Record<ListInput['sort'], { readonly key: RawBuilder<unknown>; readonly type: string }> = {
  updated: { key: sql`m.updated_at`, type: 'timestamptz' },
  created: { key: sql`m.created_at`, type: 'timestamptz' },
  valid: { key: sql`coalesce(m.valid_at, m.created_at)`, type: 'timestamptz' },
  key: { key: sql`m.memory_key COLLATE "C"`, type: 'text' },
  confidence: { key: sql`m.confidence`, type: 'float8' },
  recalled: { key: sql`u.last_recalled_at`, type: 'timestamptz' },
  expires: { key: sql`m.expires_at`, type: 'timestamptz' },
  reinforced: { key: sql`coalesce(u.reinforcement_count, 0)`, type: 'int8' },
}

const USAGE_JOIN = sql`LEFT JOIN loom.memory_usage u ON u.org = m.org AND u.memory_id = m.memory_id`
/** How often a row is read is not told of its copy. */
const NO_USAGE = sql`LEFT JOIN loom.memory_usage u ON u.org = m.org AND false`

function where(conditions: readonly RawBuilder<boolean>[]): RawBuilder<unknown> {
  return sql`WHERE ${sql.join([...conditions], sql` AND `)}`
}

/** The name of a list: its filters and its order. A cursor of another is refused. */
function listName(input: ListInput, namespace: string): string {
  const { cursor: _cursor, limit: _limit, with_total: _total, values: _values, ...rest } = input
  return createHash('sha256')
    .update(stringifyJson({ namespace, ...rest }))
    .digest('base64url')
    .slice(0, 16)
}

/** Where a list looks: rows that it sees, and copies on the shelf (`copiesAsRows`), if there are any. */
export interface ListSources {
  readonly rows: RawBuilder<boolean>
  readonly copies: RawBuilder<unknown> | null
}

interface Placed {
  readonly memory_id: string
  readonly memory_key: string
  readonly is_copy: boolean
  readonly sort_key: string | null
}

/** One page in order, named by ids and keys; ties go by memory_id. */
export async function pageOf(
  db: Reader,
  { rows: sees, copies }: ListSources,
  conditions: readonly RawBuilder<boolean>[],
  input: ListInput,
  namespace: string,
): Promise<{ placed: Placed[]; nextCursor: string | null }> {
  const { key, type } = SORT_KEYS[input.sort]
  const descending = (input.order ?? (input.sort === 'key' ? 'asc' : 'desc')) === 'desc'
  const direction = sql.raw(descending ? 'DESC' : 'ASC')
  const beyond = sql.raw(descending ? '<' : '>')
  const list = listName(input, namespace)
  const place = readCursor(list, input.cursor)
  const all = [...conditions]
  if (place) {
    const [value, id] = place as [string | null, string]
    const cast = sql.raw(type)
    all.push(
      value === null
        ? sql<boolean>`(${key} IS NULL AND m.memory_id > ${id})`
        : sql<boolean>`(${key} ${beyond} ${value}::${cast} OR ${key} IS NULL OR (${key} = ${value}::${cast} AND m.memory_id > ${id}))`,
    )
  }
  const most = input.limit + 1
  const page = (source: RawBuilder<unknown>, isCopy: boolean): RawBuilder<unknown> => sql`
    (SELECT m.memory_id, m.memory_key, ${sql.raw(String(isCopy))} AS is_copy, ${key} AS sort_key FROM ${source}
      ORDER BY ${key} ${direction} NULLS LAST, m.memory_id LIMIT ${most})`
  const rowPage = page(sql`loom.memory m ${USAGE_JOIN} ${where([sees, ...all])}`, false)
  const both = copies === null ? rowPage : sql`${rowPage} UNION ALL ${page(sql`${copies} m ${NO_USAGE} ${where(all)}`, true)}`
  const { rows } = await sql<Placed>`SELECT memory_id, memory_key, is_copy, sort_key::text AS sort_key FROM (${both}) AS listed
    ORDER BY listed.sort_key ${direction} NULLS LAST, memory_id LIMIT ${most}`.execute(db)
  const placed = rows.slice(0, input.limit)
  const last = placed.at(-1)
  return {
    placed,
    nextCursor: rows.length > input.limit && last ? writeCursor(list, [last.sort_key, last.memory_id]) : null,
  }
}

export async function countOf(
  db: Reader,
  { rows: sees, copies }: ListSources,
  conditions: readonly RawBuilder<boolean>[],
): Promise<number> {
  const counted = copies === null ? sql`0` : sql`(SELECT count(*) FROM ${copies} m ${where(conditions)})`
  const { rows } = await sql<{
    total: number
  }>`SELECT ((SELECT count(*) FROM loom.memory m ${where([sees, ...conditions])}) + ${counted})::int AS total`.execute(db)
  return rows[0]?.total ?? 0
}
