import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { memoryAutoRetirements as contract } from '../../../contract/ops/memory/auto_retirements.ts'
import { defineRead } from '../../handler.ts'
import { boundOf, namedPlace, type Given } from '../../identity.ts'
import { listName, readCursor, writeCursor } from '../../store/cursor.ts'
import { retirements, type RetiredVersion } from '../../store/retirements.ts'
import { iso } from '../../store/row-view.ts'

type Row = Output<typeof contract>['rows'][number]

function rowOf(row: RetiredVersion, place: Given): Row {
  const versioned = { memory_key: row.memory_key, memory_id: row.memory_id }
  return {
    ...versioned,
    namespace: row.namespace,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    version: row.version,
    version_text: row.version.toString(),
    retired_at: row.updated_at.toISOString(),
    cause: row.retired_cause as Row['cause'],
    by: {
      memory_key: row.by_key ?? '',
      memory_id: row.superseded_by,
      version: row.retired_by_version ?? 0n,
      version_text: (row.retired_by_version ?? 0n).toString(),
      actor: row.by_actor ?? '',
    },
    reason: row.retired_reason,
    confidence: row.retired_confidence ?? 0,
    excerpt: row.sensitivity === 'high' ? '' : row.excerpt,
    restored_at: iso(row.restored_at),
    undo: { op: 'memory.restore', arguments: { ...place, namespace: row.namespace, memory_id: row.memory_id } },
  }
}

export const memoryAutoRetirements = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { org, namespace } = context.identity
  const named = namedPlace(context.identity, context.caller, context.parts.mode === 'single')
  const list = listName(contract.name, namespace, input)
  const place = readCursor(list, input.cursor) as [string, string] | null
  const narrow = { ...context.given, ...boundOf(context.caller) }
  const conditions = [
    ...(narrow.agent === undefined ? [] : [sql<boolean>`v.agent = ${narrow.agent}`]),
    ...(narrow.user_id === undefined ? [] : [sql<boolean>`v.user_id = ${narrow.user_id}`]),
    ...(narrow.session_id === undefined ? [] : [sql<boolean>`v.session_id = ${narrow.session_id}`]),
    ...(input.memory_key === undefined ? [] : [sql<boolean>`v.memory_key = ${input.memory_key}`]),
    ...(input.cause === undefined ? [] : [sql<boolean>`v.retired_cause = ${input.cause}`]),
    ...(input.since ? [sql<boolean>`v.updated_at >= ${new Date(input.since)}`] : []),
    ...(input.include_restored ? [] : [sql<boolean>`back.restored_at IS NULL`]),
    ...(place ? [sql<boolean>`(v.updated_at, v.memory_id) < (${place[0]}::timestamptz, ${place[1]})`] : []),
  ]
  const rows = await retirements(context.db, org, namespace, conditions, input.limit + 1)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    rows: shown.map((row) => rowOf(row, named)),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.updated_at.toISOString(), last.memory_id]) : null,
  }
})
