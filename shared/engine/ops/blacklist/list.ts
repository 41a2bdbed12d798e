import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { blacklistList as contract } from '../../../contract/ops/blacklist/list.ts'
import { defineRead } from '../../handler.ts'
import { listName, readCursor, writeCursor } from '../../store/cursor.ts'

type Pattern = Output<typeof contract>['patterns'][number]

export const blacklistList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { org, namespace } = context.identity
  const list = listName(contract.name, namespace, input)
  const place = readCursor(list, input.cursor) as [string, string] | null
  const rows = await context.db
    .selectFrom('blacklist')
    .selectAll()
    .where((where) =>
      where.or([
        where.and([where('org', '=', org), where('scope', '=', 'namespace'), where('namespace', '=', namespace)]),
        where.and([where('org', '=', org), where('scope', '=', 'org')]),
        where.and([where('org', '=', '*'), where('scope', '=', 'global')]),
      ]),
    )
    .$if(input.scope !== 'all', (query) => query.where('scope', '=', input.scope))
    .$if(place !== null, (query) => query.where(sql<boolean>`(created_at, blacklist_id) < (${place?.[0]}::timestamptz, ${place?.[1]})`))
    .orderBy('created_at', 'desc')
    .orderBy('blacklist_id', 'desc')
    .limit(input.limit + 1)
    .execute()
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    patterns: shown.map((row) => ({
      blacklist_id: row.blacklist_id,
      pattern: row.pattern,
      pattern_type: row.pattern_type as Pattern['pattern_type'],
      scope: row.scope as Pattern['scope'],
      reason: row.reason,
      created_by: row.created_by,
      actor: row.actor,
      created_at: row.created_at.toISOString(),
      hits: Number(row.hits),
      last_hit_at: row.last_hit_at?.toISOString() ?? null,
    })),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.created_at.toISOString(), last.blacklist_id]) : null,
  }
})
