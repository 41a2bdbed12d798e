import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryHistory as contract } from '../../../contract/ops/memory/history.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { versionView } from '../../read/version-view.ts'
import { readCursor, writeCursor } from '../../store/cursor.ts'
import { headAt, headById, type Head } from '../../store/memories.ts'
import { ambiguous, candidates } from '../../store/resolve.ts'

async function subject(input: { memory_key?: string | undefined; memory_id?: string | undefined }, context: ReadContext): Promise<Head | null> {
  if (input.memory_id !== undefined) {
    const head = await headById(context.db, context.identity.org, input.memory_id)
    return head && head.namespace === context.identity.namespace && withinBound(context.caller, head) ? head : null
  }
  const key = input.memory_key ?? ''
  const exact = await headAt(context.db, context.identity, key)
  if (exact && withinBound(context.caller, exact)) return exact
  const found = await candidates(context.db, key, context)
  if (found.length > 1) throw ambiguous(key, found)
  return found[0] ?? null
}

export const memoryHistory = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  if ((input.memory_key === undefined) === (input.memory_id === undefined)) {
    throw new LoomError('INVALID_ARGUMENT', 'Name memory_key or memory_id, one of them.', { field: 'memory_key' })
  }
  const head = await subject(input, context)
  if (!head) return { found: false, memory_key: input.memory_key ?? '', memory_id: input.memory_id ?? '', head_status: '', rows: [], next_cursor: null }
  const list = `history/${head.memory_id}`
  const place = readCursor(list, input.cursor)
  const rows = await context.db
    .selectFrom('memory_version')
    .selectAll()
    .where('org', '=', head.org)
    .where('memory_id', '=', head.memory_id)
    .where('erased_by', '=', '')
    .$if(place !== null, (query) => query.where('version', '<', sql<bigint>`${String(place?.[0])}::int8`))
    .orderBy('version', 'desc')
    // One more than the page: to know whether there is another, and what the oldest shown changed.
    .limit(input.limit + 1)
    .execute()
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    found: true,
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    head_status: head.status,
    rows: shown.map((row, at) => versionView(row, rows[at + 1] ?? null, input.include_values)),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.version.toString()]) : null,
  }
})
