import { sql, type RawBuilder } from 'kysely'
import { RECORD_COLUMNS, type RecordRow } from '../../store/records.ts'
import { boundOf } from '../../identity.ts'
import type { CallContext } from '../../handler.ts'

export type Condition = RawBuilder<boolean>

/** A record as a query finds it, with its status now. */
export type FoundRecord = RecordRow & { readonly status: 'active' | 'superseded' | 'tombstoned' }

const STATUS_OF = (head: string): string =>
  `CASE WHEN r.tombstoned THEN 'tombstoned' WHEN ${head} IS NULL OR ${head} = r.version THEN 'active' ELSE 'superseded' END AS status`

export const COLUMNS = sql.raw(RECORD_COLUMNS.map((column) => `r.${column}`).join(', '))

/** Status of a version `r`, given the version of its record's head. */
export const statusSql = (head: string): RawBuilder<string> => sql.raw(STATUS_OF(head))

/** Rows that the call narrows to, and those that a bound token may see. */
export function narrowed({ given, caller }: Pick<CallContext, 'given' | 'caller'>, alias = 'r'): Condition[] {
  const narrow = { agent: given.agent, user_id: given.user_id, session_id: given.session_id, ...boundOf(caller) }
  return Object.entries(narrow).flatMap(([field, value]) =>
    value === undefined ? [] : [sql<boolean>`${sql.ref(`${alias}.${field}`)} = ${value}`],
  )
}

export const all = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` AND `)})`

/** Records of a schema as rows `r` with their status: the heads, or what was each record's head at a time (REC011). */
export function recordsOf(schema: string, asOf: string | undefined, { identity }: Pick<CallContext, 'identity'>): RawBuilder<unknown> {
  const { org, namespace } = identity
  const place = sql`org = ${org} AND namespace = ${namespace} AND schema = ${schema}`
  if (asOf === undefined) return sql`(SELECT r.*, ${statusSql('r.version')} FROM loom.memory_record r WHERE ${place}) r`
  return sql`(SELECT r.*, ${statusSql('h.version')} FROM (
      SELECT DISTINCT ON (record_id) * FROM loom.memory_record_version WHERE ${place} AND created_at <= ${new Date(asOf)}
      ORDER BY record_id, version DESC) r
    LEFT JOIN loom.memory_record h ON h.org = r.org AND h.record_id = r.record_id) r`
}
