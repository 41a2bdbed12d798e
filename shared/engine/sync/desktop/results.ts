import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { ChangeResult } from '../../../contract/ops/sync/push.ts'
import type { InboxChange, InboxChoice } from '../../../contract/ops/sync/inbox.ts'
import { RELATION_PART } from './capture.ts'
import { isShaped } from '../../write/shaped/claims.ts'
import { addItem, mineSide, serverSide } from './inbox.ts'
import type { ApplyContext } from './memory-rows.ts'
import { applyChanges } from './apply.ts'
import { typedShapeOf } from '../push/typed-row.ts'
import { dropBase, restoreBase } from './restore.ts'
import { countFailure, dropChange, quarantine, type Queued } from './outbox.ts'
import type { BaseRow, ShapeRow } from './rows.ts'
import { basesOf, setBase } from './rows.ts'

/** After this many INTERNAL answers in a row a change is set aside. */
const MOST_FAILURES = 3
/** Operations whose verdict is a claim's. */
const JUDGED = new Set(['memory.set', 'memory.pin', 'memory.update', 'memory.restore', 'memory.move'])

export type Settled = 'settled' | 'retry'

/**
 * Does with one answer what its outcome says: the server's row takes the place of ours, what was changed on the side
 * goes back, and what the person must see goes to the inbox. In one transaction with the queue.
 */
export async function settleResult(change: Queued, result: ChangeResult, context: ApplyContext): Promise<Settled> {
  const { tx, org } = context
  const { outcome } = result
  if (outcome === 'retry') {
    if (result.code !== 'INTERNAL' || (await countFailure(tx, org, change.change_id)) < MOST_FAILURES) return 'retry'
  }
  if (outcome === 'quarantined' || outcome === 'retry') {
    await quarantine(tx, org, change.change_id)
    await tell('quarantined', change, result, ['retry', 'accept'], context)
    return 'settled'
  }
  const settled = await layServerRow(change, result, context)
  await nameVersions(change, result, context)
  await releaseChange(change, outcome, context, settled === null ? null : { memoryId: change.memory_id, row: settled })
  await dropChange(tx, org, change.change_id)
  if (outcome === 'erased') await tellErased(change, context)
  else {
    const kind = inboxKind(change, result)
    if (kind !== null) await tell(kind, change, result, ['accept', 'mine'], context)
  }
  return 'settled'
}

function inboxKind(change: Queued, result: ChangeResult): InboxChange | null {
  switch (result.outcome) {
    case 'applied':
      return (JUDGED.has(change.op) || isShaped(change.op)) && change.status !== '' && differs(change, result) ? 'verdict_changed' : null
    case 'merged':
      return change.conflict_verdict === 'merge' ? null : 'verdict_changed'
    case 'lost':
      return result.code === '' ? 'value_replaced' : 'reverted'
    case 'refused':
      return 'reverted'
    case 'noop':
    case 'erased':
    case 'quarantined':
    case 'retry':
      return null
  }
}

const differs = (change: Queued, result: ChangeResult): boolean =>
  result.status !== change.status || (change.conflict_verdict !== '' && result.conflict_verdict !== change.conflict_verdict)

const isMemory = (row: ShapeRow): boolean => typeof row['memory_key'] === 'string' && typeof row['memory_id'] === 'string' && 'value' in row

/**
 * The server's row of the key goes under ours, or straight into its place where nothing of ours is there. Answers the
 * row that our own is to give way to, where this change alone holds it.
 */
async function layServerRow(change: Queued, result: ChangeResult, context: ApplyContext): Promise<ShapeRow | null> {
  const { tx, org } = context
  const { row } = result
  const bases = change.memory_id === '' ? new Map<string, BaseRow>() : await basesOf(tx, org, 'memory', [change.memory_id])
  const base = bases.get(change.memory_id)
  if (row === null) {
    // What may not be read is told by the shape; what is not there is gone.
    if (base && result.code !== 'FORBIDDEN') await setBase(tx, org, base, { operation: 'delete', value: {} })
    return null
  }
  const typed = typedShapeOf(change.op)
  if (typed) await applyChanges(typed, [{ operation: 'insert', value: row }], context)
  if (typed || !isMemory(row)) return null
  if (!base) {
    await applyChanges('memory', [{ operation: 'insert', value: row }], context)
    return null
  }
  if (base.rev !== null && BigInt(row['rev'] as string) < BigInt(base.rev)) return null
  if (base.held.length === 1 && base.held[0] === change.change_id) return row
  await setBase(tx, org, base, { operation: 'insert', value: row })
  return null
}

/** The version that a change made here becomes the server's; where the server made none of it, it goes. */
async function nameVersions(change: Queued, result: ChangeResult, { tx, org }: ApplyContext): Promise<void> {
  const made = result.outcome === 'applied' || result.outcome === 'lost'
  if (made && result.version !== null && result.memory_id !== '' && change.local_version !== null) {
    await sql`UPDATE loom.memory_version v SET version = ${result.version}, provisional = false, change_id = ${change.change_id}, lost = ${result.outcome === 'lost'},
        status = CASE WHEN ${result.status} = '' THEN status ELSE ${result.status} END, conflict_verdict = ${result.conflict_verdict}
      WHERE org = ${org} AND memory_id = ${change.memory_id} AND version = ${change.local_version} AND change_id = ${change.made_in} AND provisional AND NOT EXISTS (SELECT 1 FROM loom.memory_version o WHERE o.org = v.org AND o.version = ${result.version}
          AND o.memory_id IN (${change.memory_id}, ${result.memory_id}))`.execute(tx)
  }
  await dropVersions(change, tx)
}

/** Versions that a change made here go, its own and those made on the side. */
export async function dropVersions({ org, made_in, memory_id, holds }: Queued, tx: Tx): Promise<void> {
  const ids = [memory_id, ...heldRows(holds, 'memory')]
  await sql`DELETE FROM loom.memory_version WHERE org = ${org} AND memory_id = any(${ids}::text[]) AND change_id = ${made_in} AND provisional`.execute(
    tx,
  )
}

/** Keys of the rows of a table that a change holds. */
function heldRows(holds: readonly string[], relation: string): string[] {
  return holds.map((one) => one.split(RELATION_PART)).flatMap(([table, key]) => (table === relation && key !== undefined ? [key] : []))
}

/** Rows that waited for this change alone become the server's again. */
export async function releaseChange(
  { change_id: changeId, holds }: Pick<Queued, 'change_id' | 'holds'>,
  outcome: ChangeResult['outcome'],
  context: ApplyContext,
  answered: { readonly memoryId: string; readonly row: ShapeRow } | null = null,
): Promise<void> {
  const { tx, org } = context
  if (holds.length === 0) return
  const parts = holds.map((one) => one.split(RELATION_PART))
  const { rows } = await sql<BaseRow>`UPDATE loom.sync_base b SET held = array_remove(held, ${changeId}),
      last_change = CASE WHEN last_change = ${changeId} THEN '' ELSE last_change END
    FROM unnest(${parts.map(([table]) => table ?? '')}::text[], ${parts.map(([, key]) => key ?? '')}::text[]) AS h(held_in, held_key)
    WHERE b.org = ${org} AND b.relation = h.held_in AND b.row_key = h.held_key
    RETURNING b.relation, b.row_key, b."row", b."row" ->> 'rev' AS rev, b.held`.execute(tx)
  const free = rows.filter((base) => base.held.length === 0)
  const stays = (base: BaseRow): number => Number(base.row !== null || (base.relation === 'memory' && base.row_key === answered?.memoryId))
  // What goes makes room for what comes back.
  for (const base of free.toSorted((a, b) => stays(a) - stays(b))) {
    // A version that was scrubbed here and there does not come back in between.
    if (base.relation === 'memory_version' && outcome === 'applied') await dropBase(tx, org, base)
    else
      await restoreBase(
        answered !== null && base.relation === 'memory' && base.row_key === answered.memoryId ? { ...base, row: answered.row } : base,
        context,
      )
  }
}

async function tell(
  kind: InboxChange,
  change: Queued,
  result: ChangeResult,
  choices: InboxChoice[],
  { tx, org, now }: ApplyContext,
): Promise<void> {
  const { row } = result
  await addItem(
    tx,
    {
      org,
      change: kind,
      change_id: change.change_id,
      op: change.op,
      args: change.args,
      namespace: change.namespace,
      agent: change.agent,
      user_id: change.user_id,
      session_id: change.session_id,
      memory_key: change.memory_key,
      memory_id: result.memory_id || change.memory_id,
      mine: mineSide(change.value, change.recorded_at, change.conflict_verdict, change.status),
      server: row !== null && isMemory(row) ? serverSide(row) : null,
      code: result.code,
      message: result.message || reasonOf(kind, result),
      peer_ids: result.peers.map((peer) => peer.memory_id),
      choices,
    },
    now,
  )
}

function reasonOf(kind: InboxChange, result: ChangeResult): string {
  if (result.outcome === 'merged') return `The team holds this fact at ${result.merged_into_key}.`
  if (kind === 'value_replaced') return 'Somebody else changed the key meanwhile, and theirs stands.'
  return result.peers[0]?.reason ?? ''
}

/** Nothing of what was erased is told: not the key, not the value. */
async function tellErased({ org, change_id, op }: Queued, { tx, now }: ApplyContext): Promise<void> {
  const none = { namespace: '', agent: '', user_id: '', session_id: '', memory_key: '', memory_id: '', args: '', code: '', peer_ids: [] }
  const message = 'What this changed was erased meanwhile, and is gone here too.'
  await addItem(tx, { ...none, org, change: 'erased', change_id, op, mine: '{}', server: null, message, choices: ['accept'] }, now)
}
