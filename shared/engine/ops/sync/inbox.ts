import { sql } from 'kysely'
import type { Peer } from '../../../contract/common.ts'
import type { Output } from '../../../contract/declare.ts'
import { syncInbox as contract } from '../../../contract/ops/sync/inbox.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { listName, readCursor, writeCursor } from '../../store/cursor.ts'
import { headsById } from '../../store/memories.ts'
import { pairById, pairId } from '../../store/pairs.ts'
import { itemView, type InboxRow } from '../../sync/desktop/inbox.ts'
import { syncOf } from '../../sync/desktop/sync-of.ts'

/** Peers are kept as ids: what they say is read when it is shown. */
async function peersOf(row: InboxRow, { db }: ReadContext): Promise<Peer[]> {
  const heads = await headsById(db, row.org, row.peer_ids)
  const peers: Peer[] = []
  for (const id of row.peer_ids) {
    const head = heads.get(id)
    if (!head) continue
    const pair = await pairById(db, row.org, pairId(row.memory_id, id))
    peers.push({
      memory_key: head.memory_key,
      memory_id: head.memory_id,
      excerpt: head.sensitivity === 'high' ? '' : head.excerpt,
      similarity: pair?.similarity ?? 0,
      relation: (pair?.relation ?? 'contradicts') as Peer['relation'],
      reason: pair?.reason ?? '',
      confidence: pair?.confidence ?? 0,
      status: head.status as Peer['status'],
    })
  }
  return peers
}

export const syncInbox = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { connection } = syncOf(context)
  if (connection === null) return { items: [], counts: {}, next_cursor: null }
  const { org } = connection
  const list = listName(contract.name, org, input)
  const place = readCursor(list, input.cursor) as [string, string] | null
  const shown = sql`org = ${org} AND (${input.state === 'all'} OR (closed_at IS NULL) = ${input.state === 'open'})`
  const { rows: counted } = await sql<{ change: string; items: number }>`SELECT change, count(*)::int AS items FROM loom.sync_inbox
    WHERE ${shown} GROUP BY change`.execute(context.db)
  const { rows } =
    await sql<InboxRow>`SELECT * FROM loom.sync_inbox WHERE ${shown} AND (${input.change}::text IS NULL OR change = ${input.change})
    AND (${place?.[0] ?? null}::timestamptz IS NULL OR (created_at, item_id) < (${place?.[0] ?? null}::timestamptz, ${place?.[1] ?? ''}))
    ORDER BY created_at DESC, item_id DESC LIMIT ${input.limit + 1}`.execute(context.db)
  const page = rows.slice(0, input.limit)
  const last = page.at(-1)
  const items = []
  for (const row of page) items.push({ ...itemView(row), peers: await peersOf(row, context) })
  return {
    items,
    counts: Object.fromEntries(counted.map(({ change, items: count }) => [change, count])),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.created_at.toISOString(), last.item_id]) : null,
  }
})
