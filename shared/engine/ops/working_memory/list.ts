import { sql, type RawBuilder } from 'kysely'
import type { Json } from '../../../contract/common.ts'
import type { Output } from '../../../contract/declare.ts'
import { parseJson } from '../../../contract/json.ts'
import { workingMemoryList as contract } from '../../../contract/ops/working_memory/list.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { seenBy } from '../../store/runs.ts'
import { scratchPage, type Scratch } from '../../store/working-memory.ts'
import { heldLeases, leaseTime } from '../../store/working-leases.ts'

type Answer = Output<typeof contract>

function conditionsOf(prefix: string, { identity, given, caller, now }: ReadContext): RawBuilder<boolean>[] {
  const { agent, user_id, session_id } = given
  const named = Object.entries({ agent, user_id, session_id }).filter(([, value]) => value !== undefined)
  return [
    sql<boolean>`w.org = ${identity.org}`,
    sql<boolean>`w.namespace = ${identity.namespace}`,
    sql<boolean>`w.expires_at > ${now}`,
    seenBy(caller, 'w'),
    ...named.map(([field, value]) => sql<boolean>`${sql.ref(`w.${field}`)} = ${value}`),
    ...(prefix === '' ? [] : [sql<boolean>`starts_with(w.key, ${prefix})`]),
  ]
}

function entryOf(row: Scratch, values: boolean): Answer['entries'][number] {
  const { key, agent, user_id, session_id, bytes, version } = row
  return {
    key,
    agent,
    user_id,
    session_id,
    ...(values && { value: parseJson(row.value) as Json }),
    bytes,
    version,
    version_text: version.toString(),
    updated_at: row.updated_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

export const workingMemoryList = defineRead(contract, async (input, context): Promise<Answer> => {
  const { db, identity, given, caller, now, parts } = context
  const list = listName(contract.name, identity.namespace, { ...input, ...given })
  const place = readPlace(list, input.cursor, ['text', 'text', 'text', 'text'])
  const rows = await scratchPage(db, conditionsOf(input.prefix, context), place, input.limit + 1)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  const leases = await heldLeases(db, identity, await leaseTime(db, parts, now))
  return {
    entries: shown.map((row) => entryOf(row, input.values)),
    leases: leases
      .filter((lease) => withinBound(caller, lease))
      .map(({ name, agent, until }) => ({ name, holder: agent, until: until.toISOString() })),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.key, last.agent, last.user_id, last.session_id]) : null,
  }
})
