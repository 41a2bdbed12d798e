import { sql } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { syncInboxDecide as contract } from '../../../contract/ops/sync/inbox_decide.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { decide } from '../../sync/desktop/decide.ts'
import { itemById, type InboxRow } from '../../sync/desktop/inbox.ts'
import { syncOf } from '../../sync/desktop/sync-of.ts'

type Call = Input<typeof contract>

async function itemsOf(input: Call, org: string, { db }: PrepareContext): Promise<InboxRow[]> {
  if (input.item_id !== undefined) {
    const item = await itemById(db, org, input.item_id)
    if (item) return [item]
    throw new LoomError('NOT_FOUND', `There is no item ${input.item_id} in the sync inbox.`, { field: 'item_id' })
  }
  const { rows } =
    await sql<InboxRow>`SELECT * FROM loom.sync_inbox WHERE org = ${org} AND change = ${input.all_of ?? ''} AND closed_at IS NULL
    ORDER BY created_at, item_id`.execute(db)
  return rows
}

export const syncInboxDecide = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { connection } = syncOf(context)
  if ((input.item_id === undefined) === (input.all_of === undefined))
    throw new LoomError('INVALID_ARGUMENT', 'Name item_id or all_of, one of them.', { field: 'item_id' })
  if (connection === null) throw new LoomError('NOT_FOUND', 'This desktop is not connected: it has no sync inbox.', { field: 'item_id' })
  let result: Record<string, unknown> | null = null
  for (const item of await itemsOf(input, connection.org, context)) {
    if (item.closed_at !== null) continue
    if (!item.choices.includes(input.choice)) {
      throw new LoomError('INVALID_ARGUMENT', `${input.choice} is no choice here. Choose ${item.choices.join(' or ')}.`, {
        field: 'choice',
      })
    }
    result = await decide(item, input.choice, context)
    const { actor, caller, now, parts } = context
    const subject = `sync:-/-/-/${item.item_id}`
    await parts.database.transaction((tx) =>
      writeAudit(tx, [
        { op: contract.name, at: now, org: item.org, actor, requestId: caller.requestId, subject, namespace: item.namespace },
      ]),
    )
  }
  return { item_id: input.item_id ?? '', closed: true, result }
})
