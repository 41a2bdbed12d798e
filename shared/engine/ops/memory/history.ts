import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { memoryHistory as contract } from '../../../contract/ops/memory/history.ts'
import { defineRead } from '../../handler.ts'
import { anyHead } from '../../read/any-head.ts'
import { versionView } from '../../read/version-view.ts'
import { readPlace, writeCursor } from '../../store/cursor.ts'

export const memoryHistory = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const head = await anyHead(input, context)
  if (!head)
    return {
      found: false,
      memory_key: input.memory_key ?? '',
      memory_id: input.memory_id ?? '',
      head_status: '',
      rows: [],
      next_cursor: null,
    }
  const list = `history/${head.memory_id}`
  const place = readPlace(list, input.cursor, ['version'])
  const rows = await context.db
    .selectFrom('memory_version')
    .selectAll()
    .where('org', '=', head.org)
    .where('memory_id', '=', head.memory_id)
    .where('erased_by', '=', '')
    .$if(place !== null, (query) => query.where('version', '<', sql<bigint>`${place?.[0] ?? '0'}::int8`))
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
