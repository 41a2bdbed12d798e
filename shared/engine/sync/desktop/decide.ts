import { sql } from 'kysely'
import { v7 } from 'uuid'
import { parseJson } from '../../../contract/json.ts'
import type { InboxChoice } from '../../../contract/ops/sync/inbox.ts'
import type { PrepareContext } from '../../handler.ts'
import { headAt } from '../../store/memories.ts'
import { isLive } from '../../write/state.ts'
import { applied } from './commit.ts'
import { closeItem, itemView, type InboxRow } from './inbox.ts'
import { changeById, dropChange } from './outbox.ts'
import { dropVersions, releaseChange } from './results.ts'
import { syncOf } from './sync-of.ts'

/** Operations that carry a value: writing mine again writes the value. */
const CARRYING = new Set(['memory.set', 'memory.pin', 'memory.update', 'memory.restore', 'memory.move'])

/**
 * Does what the person chose, and closes the item. Answers what the write that it made answered.
 * @throws LoomError what that write answers; the item stays open then
 */
export async function decide(item: InboxRow, choice: InboxChoice, context: PrepareContext): Promise<Record<string, unknown> | null> {
  if (choice === 'retry') return again(item, context)
  if (choice === 'mine') {
    const result = await writeMine(item, context)
    await close(item, context)
    return result
  }
  if (item.change === 'quarantined') {
    await applied(context.parts, item.org, async (apply) => {
      const change = await changeById(apply.tx, item.org, item.change_id)
      if (change === null) return
      await dropVersions(change, apply.tx)
      await releaseChange(change, 'refused', apply)
      await dropChange(apply.tx, item.org, item.change_id)
    })
  }
  await close(item, context)
  return null
}

async function close(item: InboxRow, { parts, actor, now }: PrepareContext): Promise<void> {
  await parts.database.transaction((tx) => closeItem(tx, item.org, item.item_id, actor, now))
}

/** A quarantined change is queued again, as a new one that holds what the old one held. */
async function again(item: InboxRow, context: PrepareContext): Promise<null> {
  const { parts, now, actor } = context
  const [org, before, after] = [item.org, item.change_id, v7({ msecs: now.getTime() })]
  await parts.database.transaction(async (tx) => {
    await sql`UPDATE loom.sync_outbox SET change_id = ${after}, state = 'queued', failures = 0 WHERE org = ${org} AND change_id = ${before}`.execute(
      tx,
    )
    await sql`UPDATE loom.sync_outbox SET base_change_id = ${after} WHERE org = ${org} AND base_change_id = ${before}`.execute(tx)
    await sql`UPDATE loom.sync_base SET held = array_replace(held, ${before}, ${after}),
      last_change = CASE WHEN last_change = ${before} THEN ${after} ELSE last_change END WHERE org = ${org} AND ${before} = any(held)`.execute(
      tx,
    )
    await closeItem(tx, org, item.item_id, actor, now)
  })
  syncOf(context).queued()
  return null
}

/** Mine on the row that was seen: a new change, which the server judges as any other. */
async function writeMine(item: InboxRow, context: PrepareContext): Promise<Record<string, unknown>> {
  const { db, caller, now } = context
  const sync = syncOf(context)
  const { identity, mine, server } = itemView(item)
  const args = item.args === '' ? {} : (parseJson(item.args) as Record<string, unknown>)
  const call = (op: string, input: Record<string, unknown>): Promise<Record<string, unknown>> => sync.runOp(op, input, caller)
  if (!CARRYING.has(item.op) || mine.value === null) return call(item.op, args)
  const head = await headAt(db, identity, item.memory_key)
  if (!head || !isLive(head, now))
    return call('memory.set', { ...identity, ...claimOf(args), memory_key: item.memory_key, value: mine.value })
  const seen = server?.content_sha256 ?? ''
  return call('memory.update_by_id', {
    org: item.org,
    memory_id: head.memory_id,
    value: mine.value,
    ...(seen !== '' && { if_match_sha256: seen }),
  })
}

const CLAIM = [
  'memory_type',
  'tags',
  'entities',
  'relations',
  'files',
  'confidence',
  'source_trace',
  'source_resource_id',
  'valid_at',
  'valid_to',
] as const

function claimOf(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(CLAIM.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]))
}
