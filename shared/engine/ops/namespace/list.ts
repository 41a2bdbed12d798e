import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { namespaceList as contract } from '../../../contract/ops/namespace/list.ts'
import { defineRead } from '../../handler.ts'
import { boundOf } from '../../identity.ts'
import { roleIn } from '../../rights.ts'
import { readPlace, writeCursor } from '../../store/cursor.ts'
import { withDefaults } from '../../store/namespaces.ts'

interface NamespaceRow {
  namespace: string
  settings: unknown
  registered: boolean
  rows: number
  open_conflicts: number
  last_write_at: Date | null
}

const LIST = 'namespaces'

export const namespaceList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { org } = context.identity
  const { caller, now } = context
  const place = readPlace(LIST, input.cursor, ['text'])
  const granted = Object.keys(caller.claims.grants)
  const all = granted.includes('*')
  const bound = boundOf(caller)
  const isBound = bound.user_id !== undefined || bound.session_id !== undefined
  // Of a pair a bound token may know only when both its rows are its own.
  const isOwn = (
    side: 'p.row_id' | 'p.peer_id',
  ) => sql`EXISTS (SELECT 1 FROM loom.memory o WHERE o.org = p.org AND o.memory_id = ${sql.ref(side)}
    AND (${bound.user_id ?? null}::text IS NULL OR o.user_id = ${bound.user_id ?? null})
    AND (${bound.session_id ?? null}::text IS NULL OR o.session_id = ${bound.session_id ?? null}))`
  const pairsInSight = isBound ? sql`AND ${isOwn('p.row_id')} AND ${isOwn('p.peer_id')}` : sql``
  const { rows } = await sql<NamespaceRow>`
    SELECT n.namespace, n.settings, n.registered,
      coalesce(m.rows, 0)::int AS rows, m.last_write_at,
      (SELECT count(*)::int FROM loom.memory_pair p WHERE p.org = n.org AND p.namespace = n.namespace AND p.state = 'open' AND p.kind = 'conflict' ${pairsInSight}) AS open_conflicts
    FROM loom.namespace n LEFT JOIN (
      SELECT namespace,
        count(*) FILTER (WHERE status IN ('active', 'conflicted', 'duplicate') AND (valid_to IS NULL OR valid_to > ${now})
          AND (expires_at IS NULL OR expires_at > ${now} OR on_expire = 'demote')) AS rows,
        max(updated_at) AS last_write_at
      FROM loom.memory WHERE org = ${org} AND erased_by = ''
        AND (${bound.user_id ?? null}::text IS NULL OR user_id = ${bound.user_id ?? null})
        AND (${bound.session_id ?? null}::text IS NULL OR session_id = ${bound.session_id ?? null})
      GROUP BY namespace) m ON m.namespace = n.namespace
    WHERE n.org = ${org} AND (${all} OR n.namespace = any(${granted}::text[])) AND n.namespace > ${place?.[0] ?? ''}
    ORDER BY n.namespace LIMIT ${input.limit + 1}`.execute(context.db)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    namespaces: shown.flatMap((row) => {
      const role = roleIn(caller.claims, org, row.namespace)
      if (!role) return []
      return {
        namespace: row.namespace,
        description: withDefaults(row.settings).description,
        registered: row.registered,
        role,
        rows: row.rows,
        open_conflicts: row.open_conflicts,
        last_write_at: row.last_write_at?.toISOString() ?? null,
      }
    }),
    next_cursor: rows.length > input.limit && last ? writeCursor(LIST, [last.namespace]) : null,
  }
})
