import { sql, type RawBuilder } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { runList as contract } from '../../../contract/ops/run/list.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { runView, seenBy, writtenCounts, type Run } from '../../store/runs.ts'

type Condition = RawBuilder<boolean>

function conditionsOf(input: Input<typeof contract>, { identity, given, caller }: ReadContext): Condition[] {
  const { agent, user_id, session_id } = given
  const named = Object.entries({ agent, user_id, session_id }).filter(([, value]) => value !== undefined)
  const { status, grade, memory_key, since, until, implicit } = input
  return [
    sql<boolean>`r.org = ${identity.org}`,
    sql<boolean>`r.namespace = ${identity.namespace}`,
    seenBy(caller, 'r'),
    ...named.map(([field, value]) => sql<boolean>`${sql.ref(`r.${field}`)} = ${value}`),
    ...(status === undefined ? [] : [sql<boolean>`r.status = any(${status}::text[])`]),
    ...(grade === undefined ? [] : [sql<boolean>`r.grade = ${grade === 'none' ? '' : grade}`]),
    ...(memory_key === '' ? [] : [sql<boolean>`r.memories_used @> ARRAY[${memory_key}]::text[]`]),
    ...(since ? [sql<boolean>`r.started_at >= ${since}::timestamptz`] : []),
    ...(until ? [sql<boolean>`r.started_at < ${until}::timestamptz`] : []),
    ...(typeof implicit === 'boolean' ? [sql<boolean>`r.implicit = ${implicit}`] : []),
  ]
}

export const runList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, given, caller, parts } = context
  const list = listName(contract.name, identity.namespace, { ...input, ...given })
  const place = readPlace(list, input.cursor, ['time', 'text'])
  const beyond = place ? [sql<boolean>`(r.started_at, r.run_id) < (${place[0]}::timestamptz, ${place[1]})`] : []
  await parts.ledger.flush()
  const { rows } = await sql<Run>`SELECT r.* FROM loom.run r WHERE ${sql.join([...conditionsOf(input, context), ...beyond], sql` AND `)}
    ORDER BY r.started_at DESC, r.run_id DESC LIMIT ${input.limit + 1}`.execute(db)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  const counts = await writtenCounts(db, identity, shown, caller)
  return {
    runs: shown.map((run) => runView(run, counts.get(run.run_id) ?? 0)),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.started_at.toISOString(), last.run_id]) : null,
  }
})
