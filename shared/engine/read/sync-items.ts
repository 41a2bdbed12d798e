import { sql } from 'kysely'
import type { z } from 'zod'
import type { Side } from '../../contract/pair.ts'
import type { ReviewItem } from '../../contract/ops/review/queue.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import { headsById, type Head } from '../store/memories.ts'
import { itemView, type InboxRow } from '../sync/desktop/inbox.ts'
import { sideView } from './pair-view.ts'

type Item = z.output<typeof ReviewItem>

/** Open items of the sync inbox in the selection: none on a server, and none for what names no key any more. */
const selected = ({ identity, given, caller }: ReadContext) => {
  const bound = boundOf(caller)
  const same = (column: string, value: string | undefined) => (value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`)
  return sql`org = ${identity.org} AND namespace = ${identity.namespace} AND closed_at IS NULL AND memory_key <> ''
    AND ${same('agent', given.agent)} AND ${same('user_id', bound.user_id ?? given.user_id)}
    AND ${same('session_id', bound.session_id ?? given.session_id)}`
}

export async function countSyncItems(context: ReadContext): Promise<number> {
  if (context.parts.sync === null) return 0
  const { rows } = await sql<{ items: number }>`SELECT count(*)::int AS items FROM loom.sync_inbox WHERE ${selected(context)}`.execute(
    context.db,
  )
  return rows[0]?.items ?? 0
}

/** The row as it stands, or what was written where the server left none. */
function rowOf(row: InboxRow, head: Head | undefined, now: Date): Side {
  if (head) return sideView(head, now)
  const { mine, memory_key } = itemView(row)
  return {
    memory_key,
    memory_id: row.memory_id,
    namespace: row.namespace,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    memory_type: 'semantic',
    value: mine.value,
    status: 'rejected',
    version: 0n,
    version_text: '0',
    content_sha256: '',
    created_at: row.created_at.toISOString(),
    valid_at: null,
    actor: '',
    source_class: 'user',
    tags: [],
    pinned: false,
    locked: false,
  }
}

/** Newest first, at most `limit`: they lead the first page of the queue. */
export async function syncItems(context: ReadContext, limit: number): Promise<Item[]> {
  if (context.parts.sync === null) return []
  const { rows } = await sql<InboxRow>`SELECT * FROM loom.sync_inbox WHERE ${selected(context)}
    ORDER BY created_at DESC, item_id DESC LIMIT ${limit}`.execute(context.db)
  const heads = await headsById(
    context.db,
    context.identity.org,
    rows.map((row) => row.memory_id),
  )
  return rows.map((row) => {
    const { mine, server } = itemView(row)
    return {
      item_id: row.item_id,
      kind: 'sync',
      at: row.created_at.toISOString(),
      row: rowOf(row, heads.get(row.memory_id), context.now),
      peer: null,
      peers_more: 0,
      reason: row.message,
      confidence: null,
      unsure: false,
      sync: {
        change: row.change,
        local_verdict: mine.conflict_verdict,
        server_verdict: server?.conflict_verdict ?? '',
        local_value: mine.value,
        code: row.code || null,
      },
      actions: row.choices.map((choice) => ({ action: choice, op: 'sync.inbox_decide', arguments: { item_id: row.item_id, choice } })),
    }
  })
}
