import { sql, type RawBuilder } from 'kysely'
import type { CallContext, ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import { hiddenTags } from '../write/sensitivity.ts'

type Condition = RawBuilder<boolean>

/** Rows (of `loom.memory AS m`) that a selector names and the token may read, whatever their status. */
export function inSelector(context: CallContext): Condition {
  const { identity, given, caller } = context
  const narrow = { ...given, ...boundOf(caller) }
  return sql<boolean>`m.org = ${identity.org} AND m.namespace = ${identity.namespace} AND m.erased_by = ''
    AND (${narrow.agent ?? null}::text IS NULL OR m.agent = ${narrow.agent ?? null})
    AND (${narrow.user_id ?? null}::text IS NULL OR m.user_id = ${narrow.user_id ?? null})
    AND (${narrow.session_id ?? null}::text IS NULL OR m.session_id = ${narrow.session_id ?? null})`
}

/** Not past its valid_to, nor past an expiry that takes it away. */
export function unexpired(now: Date): Condition {
  return sql<boolean>`(m.valid_to IS NULL OR m.valid_to > ${now}) AND (m.expires_at IS NULL OR m.expires_at > ${now} OR m.on_expire = 'demote')`
}

export function isLiveRow(now: Date): Condition {
  return sql<boolean>`m.status IN ('active', 'conflicted', 'duplicate') AND ${unexpired(now)}`
}

/** The row has a tag, given in lower case. */
export function hasTag(tag: string): Condition {
  return sql<boolean>`EXISTS (SELECT 1 FROM unnest(m.tags) AS t WHERE lower(normalize(t)) = ${tag})`
}

/** No tag of the row is among these, given in lower case. */
export function untagged(tags: ReadonlySet<string>, column: RawBuilder<unknown> = sql`m.tags`): Condition {
  return tags.size === 0
    ? sql<boolean>`true`
    : sql<boolean>`NOT EXISTS (SELECT 1 FROM unnest(${column}) AS t WHERE lower(normalize(t)) = any(${[...tags]}::text[]))`
}

/** Rows that reads around a memory show when the call names nothing more: what stands, is not over, not high and not hidden. */
export async function servedRows(context: ReadContext): Promise<Condition> {
  const { db, identity, now, parts } = context
  const settings = await parts.settings.get(db, identity.org, identity.namespace)
  const conflicted = settings.default_conflict_policy === 'keep_existing' ? sql`false` : sql`m.status = 'conflicted'`
  return sql<boolean>`(${inSelector(context)} AND (m.status = 'active' OR ${conflicted}) AND ${unexpired(now)}
    AND m.sensitivity <> 'high' AND ${untagged(hiddenTags(settings))})`
}
