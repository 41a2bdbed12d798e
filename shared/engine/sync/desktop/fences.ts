import { sql } from 'kysely'
import { dropMemory, noteMemory, type ApplyContext } from './memory-rows.ts'
import type { ShapeRow } from './rows.ts'

interface Fence {
  readonly seq: bigint
  readonly erasure_id: string
  readonly namespace: string
  readonly user_sha256: string
  readonly collection: string
}

/** Fences that are known here and not applied, in order. */
async function dueFences({ tx, org }: ApplyContext, after: bigint): Promise<Fence[]> {
  const { rows } = await sql<Fence>`SELECT seq, erasure_id, namespace, user_sha256, collection FROM loom.erasure_fence
    WHERE org = ${org} AND seq > ${after} ORDER BY seq, namespace`.execute(tx)
  return rows
}

/**
 * Deletes what the fences of the server cover, rows and queued changes alike, and raises the number of the org. Answers
 * the highest fence applied.
 */
export async function applyFences(context: ApplyContext): Promise<bigint> {
  const { tx, org } = context
  const { rows } = await sql<{ erasure_seq: bigint }>`SELECT erasure_seq FROM loom.sync_state WHERE org = ${org}`.execute(tx)
  const after = rows[0]?.erasure_seq ?? 0n
  let applied = after
  for (const fence of await dueFences(context, after)) {
    if (fence.seq > applied) applied = fence.seq
    // A collection holds documents alone, and this release has none.
    if (fence.collection === '') await eraseScope(fence, context)
  }
  if (applied > after) {
    await sql`UPDATE loom.sync_state SET erasure_seq = ${applied} WHERE org = ${org}`.execute(tx)
    await sql`INSERT INTO loom.org AS o (org, erasure_seq, created_at) VALUES (${org}, ${applied}, ${context.now})
      ON CONFLICT (org) DO UPDATE SET erasure_seq = greatest(o.erasure_seq, excluded.erasure_seq)`.execute(tx)
  }
  return applied
}

async function eraseScope({ seq, erasure_id, namespace, user_sha256 }: Fence, context: ApplyContext): Promise<void> {
  const { tx, org, now, changed } = context
  const covered = sql`org = ${org} AND (${namespace} = '*' OR namespace = ${namespace})
    AND (${user_sha256} = '' OR encode(sha256(convert_to(${`${erasure_id}:`} || user_id, 'UTF8')), 'hex') = ${user_sha256})`
  const { rows } = await sql<ShapeRow>`SELECT memory_id, namespace, memory_key, version FROM loom.memory
    WHERE ${covered} AND erasure_seq < ${seq}`.execute(tx)
  for (const row of rows) {
    noteMemory(changed, row)
    const id = String(row['memory_id'])
    await dropMemory(tx, org, id, 'all', changed)
    await sql`DELETE FROM loom.memory_relation WHERE org = ${org} AND memory_id = ${id}`.execute(tx)
    await sql`DELETE FROM loom.memory_link WHERE org = ${org} AND (from_id = ${id} OR to_id = ${id})`.execute(tx)
    await sql`DELETE FROM loom.memory_pair WHERE org = ${org} AND (row_id = ${id} OR peer_id = ${id})`.execute(tx)
    await sql`DELETE FROM loom.sync_base WHERE org = ${org} AND relation IN ('memory', 'memory_relation', 'memory_version')
      AND split_part(row_key, chr(31), 1) = ${id}`.execute(tx)
    await sql`DELETE FROM loom.idempotency WHERE org = ${org} AND strpos(answer, ${id}) > 0`.execute(tx)
  }
  await sql`DELETE FROM loom.memory_version WHERE ${covered} AND erasure_seq < ${seq}`.execute(tx)
  const gone = await sql`DELETE FROM loom.sync_outbox WHERE ${covered} AND erasure_seq < ${seq}`.execute(tx)
  const items = await sql`DELETE FROM loom.sync_inbox WHERE ${covered}`.execute(tx)
  const count = Number((gone.numAffectedRows ?? 0n) + (items.numAffectedRows ?? 0n))
  if (count > 0) {
    await sql`INSERT INTO loom.sync_inbox (org, item_id, change, mine, message, choices, created_at)
      VALUES (${org}, ${`s_${erasure_id}_${seq}_${now.getTime()}`}, 'erased', '{}', ${`An erasure took ${count} changes that waited here.`}, '{accept}', ${now})
      ON CONFLICT DO NOTHING`.execute(tx)
  }
}
