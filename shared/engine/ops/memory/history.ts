import { sql } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { memoryHistory as contract } from '../../../contract/ops/memory/history.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { anyHead } from '../../read/any-head.ts'
import { versionView } from '../../read/version-view.ts'
import { readPlace, writeCursor } from '../../store/cursor.ts'
import { lostAlone } from '../../store/lost-versions.ts'
import type { Head } from '../../store/memories.ts'

/** A key that nothing became the head of has its lost versions all the same. */
async function lostSubject(input: Input<typeof contract>, context: ReadContext): Promise<Head | null> {
  const { db, identity, caller } = context
  const found = await lostAlone(db, identity, input.memory_id === undefined ? { key: input.memory_key ?? '' } : { id: input.memory_id })
  return found && withinBound(caller, found) ? found : null
}

/** Those of the key that were lost before it had a row, under an id of their own. */
const lostAt = ({ namespace, agent, user_id, session_id, memory_key }: Head) =>
  sql<boolean>`(lost AND namespace = ${namespace} AND agent = ${agent} AND user_id = ${user_id} AND session_id = ${session_id}
    AND memory_key = ${memory_key})`

/** The version that one followed: of those that were the head, unless it was never that itself. */
function followed<V extends { readonly lost: boolean }>(rows: readonly V[], at: number): V | null {
  const before = rows.slice(at + 1)
  return (rows[at]?.lost ? before[0] : (before.find((row) => !row.lost) ?? before.at(-1))) ?? null
}

export const memoryHistory = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const head = await anyHead(input, context)
  const subject = head ?? (await lostSubject(input, context))
  if (!subject)
    return {
      found: false,
      memory_key: input.memory_key ?? '',
      memory_id: input.memory_id ?? '',
      head_status: '',
      rows: [],
      next_cursor: null,
    }
  const list = `history/${subject.memory_id}`
  const place = readPlace(list, input.cursor, ['version'])
  const rows = await context.db
    .selectFrom('memory_version')
    .selectAll()
    .where('org', '=', subject.org)
    .where((either) => either.or([either('memory_id', '=', subject.memory_id), lostAt(subject)]))
    .where('erased_by', '=', sql.lit(''))
    .$if(place !== null, (query) => query.where('version', '<', sql<bigint>`${place?.[0] ?? '0'}::int8`))
    .orderBy('version', 'desc')
    // One more than the page: to know whether there is another, and what the oldest shown changed.
    .limit(input.limit + 1)
    .execute()
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    found: true,
    memory_key: subject.memory_key,
    memory_id: subject.memory_id,
    head_status: head?.status ?? '',
    rows: shown.map((row, at) => versionView(row, followed(rows, at), input.include_values)),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.version.toString()]) : null,
  }
})
