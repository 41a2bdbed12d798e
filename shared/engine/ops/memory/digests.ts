import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { memoryDigests as contract } from '../../../contract/ops/memory/digests.ts'
import { defineRead } from '../../handler.ts'
import { boundOf } from '../../identity.ts'
import { digestViews } from '../../read/digest-view.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { digestsPage } from '../../store/digests.ts'

/** Digests are of a whole user: a token of one session sees none. */
export const memoryDigests = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, given, caller } = context
  const list = listName(contract.name, identity.namespace, { ...input, ...given })
  const place = readPlace(list, input.cursor, ['time', 'text'])
  const bound = boundOf(caller)
  const user = bound.user_id ?? given.user_id ?? null
  const from = input.from ? sql`d.period_start >= ${input.from}::timestamptz` : sql`true`
  const to = input.to ? sql`d.period_start < ${input.to}::timestamptz` : sql`true`
  const inScope = sql<boolean>`d.org = ${identity.org} AND d.namespace = ${identity.namespace} AND d.period = ${input.period}
    AND (${user}::text IS NULL OR d.user_id = ${user}) AND ${bound.session_id === undefined} AND ${from} AND ${to}`
  const rows = await digestsPage(db, inScope, place, input.limit + 1)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    digests: await digestViews(shown, context),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.period_start.toISOString(), last.digest_id]) : null,
    degraded: [],
  }
})
