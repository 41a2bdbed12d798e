import { sql, type RawBuilder } from 'kysely'
import type { Input } from '../../contract/declare.ts'
import type { memoryList } from '../../contract/ops/memory/list.ts'
import { fold } from '../../domain/text/fold.ts'
import type { CallContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import { categoryKey } from '../store/categories.ts'

export type ListInput = Input<typeof memoryList>
type Condition = RawBuilder<boolean>

const EXPIRED = (now: Date): Condition => sql<boolean>`(m.valid_to <= ${now} OR (m.expires_at <= ${now} AND m.on_expire <> 'demote'))`

/** Escapes what a regular expression of Postgres would take for an operator. */
function literal(word: string): string {
  return word.replace(/[^\p{L}\p{N}\s]/gu, (character) => `\\${character}`)
}

/** Every word begins a word of key, tags or excerpt. The excerpt of a withheld row is empty, so it is not looked into. */
function textConditions(text: string): Condition[] {
  return text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(
      (word) =>
        sql<boolean>`(m.memory_key || ' ' || array_to_string(m.tags, ' ') || ' ' || m.excerpt) ~* ${`(^|[^[:alnum:]])${literal(word)}`}`,
    )
}

/** Whether the call sees a row `m` of its namespace at all. */
export function seesRow(context: CallContext): Condition {
  return sql<boolean>`(${sql.join([sql`true`, ...selectorConditions(context)], sql` AND `)})`
}

/** Copies on the shelf belong to the namespace: a call that picks a writer looks at rows alone. */
export function looksAtShelf({ given }: CallContext): boolean {
  return (given.agent ?? given.user_id ?? given.session_id) === undefined
}

function selectorConditions(context: CallContext): Condition[] {
  const narrow = { ...context.given, ...boundOf(context.caller) }
  return [
    ...(narrow.agent === undefined ? [] : [sql<boolean>`m.agent = ${narrow.agent}`]),
    ...(narrow.user_id === undefined ? [] : [sql<boolean>`m.user_id = ${narrow.user_id}`]),
    ...(narrow.session_id === undefined ? [] : [sql<boolean>`m.session_id = ${narrow.session_id}`]),
  ]
}

const lowered = (items: readonly string[]): string[] => items.map(fold)
const LOWER_TAGS = sql<string[]>`(SELECT coalesce(array_agg(lower(normalize(t))), '{}') FROM unnest(m.tags) AS t)`

/** Conditions of memory.list over `loom.memory AS m`, of a row that the call sees, or over copies in its shape; all must hold. */
export function filterOf(input: ListInput, context: CallContext): Condition[] {
  const { identity, now } = context
  const at = (text: string): Date => new Date(text)
  const conditions: Condition[] = [
    sql<boolean>`m.org = ${identity.org}`,
    sql<boolean>`m.namespace = ${identity.namespace}`,
    sql<boolean>`m.erased_by = ''`,
    sql<boolean>`m.status = any(${[...input.status].filter((status) => status !== 'redirect')}::text[])`,
    ...textConditions(input.text),
  ]
  const add = (condition: Condition): void => void conditions.push(condition)
  if (input.memory_type?.length) add(sql`m.memory_type = any(${[...input.memory_type]}::text[])`)
  if (input.tags_any?.length) add(sql`${LOWER_TAGS} && ${lowered(input.tags_any)}::text[]`)
  if (input.tags_all?.length) add(sql`${LOWER_TAGS} @> ${lowered(input.tags_all)}::text[]`)
  if (input.entity !== '') add(sql`m.entities @> ${[fold(input.entity)]}::text[]`)
  if (input.key_prefix !== '') add(sql`starts_with(m.memory_key, ${input.key_prefix})`)
  if (input.sensitivity?.length) add(sql`m.sensitivity = any(${[...input.sensitivity]}::text[])`)
  if (input.source_class?.length) add(sql`m.source_class = any(${[...input.source_class]}::text[])`)
  if (input.actor !== '') add(sql`m.actor = ${input.actor}`)
  if (input.run_id !== '') add(sql`m.run_id = ${input.run_id}`)
  if (input.file !== '') add(sql`m.files @> ${[input.file]}::text[]`)
  if (input.category !== '')
    add(sql`EXISTS (SELECT 1 FROM loom.memory_category k WHERE k.org = m.org AND k.namespace = m.namespace AND k.memory_key = m.memory_key
      AND k.category_key = ${categoryKey(input.category)} AND k.rescinded_at IS NULL)`)
  if (input.verified !== null && input.verified !== undefined)
    add(sql`(m.verified_by <> '' AND m.verified_sha256 = m.content_sha256) = ${input.verified}`)
  if (input.pinned !== null && input.pinned !== undefined) add(sql`m.pinned = ${input.pinned}`)
  if (input.provisional !== null && input.provisional !== undefined) add(sql`m.provisional = ${input.provisional}`)
  if (input.locked !== null && input.locked !== undefined)
    add(sql`(m.lock_mode <> '' AND (m.lock_until IS NULL OR m.lock_until > ${now})) = ${input.locked}`)
  if (input.created_after) add(sql`m.created_at > ${at(input.created_after)}`)
  if (input.created_before) add(sql`m.created_at < ${at(input.created_before)}`)
  if (input.updated_after) add(sql`m.updated_at > ${at(input.updated_after)}`)
  if (input.updated_before) add(sql`m.updated_at < ${at(input.updated_before)}`)
  if (input.expires_before) add(sql`m.expires_at < ${at(input.expires_before)}`)
  // A tombstone is listed whatever its expiry was.
  if (!input.include_expired) add(sql`(m.status = 'tombstoned' OR NOT coalesce(${EXPIRED(now)}, false))`)
  return conditions
}
