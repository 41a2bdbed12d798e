import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

export interface Outcome {
  readonly outcome: 'positive' | 'negative' | 'neutral'
  readonly weight: number
}

export interface RunOutcome extends Outcome {
  readonly org: string
  readonly memory_id: string
  readonly run_id: string
  readonly note: string
  readonly actor: string
  readonly at: Date
}

export interface Tally {
  readonly acted: number
  readonly harm: number
  /** Negative outcomes since the last positive one. */
  readonly streak: number
}

/** Keeps what a run told of a row. False when it has told already: a run counts once per row. */
export async function keepRunOutcome(tx: Tx, outcome: RunOutcome): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('memory_outcome')
    .values(outcome)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/**
 * Moves the counters of a row, outside its version chain. A weight moves a counter, never the streak.
 * @param uses 0 where the use was counted before
 */
export async function countOutcome(tx: Tx, org: string, memoryId: string, { outcome, weight }: Outcome, uses: 0 | 1 = 1): Promise<Tally> {
  const acted = outcome === 'positive' ? weight : 0
  const harm = outcome === 'negative' ? weight : 0
  const { rows } = await sql<{ acted: number; harm: number; streak: number }>`
    INSERT INTO loom.memory_usage AS u (org, memory_id, used_count, acted_count, harm_count, negative_streak)
    VALUES (${org}, ${memoryId}, ${uses}::int8, ${acted}::int8, ${harm}::int8, ${outcome === 'negative' ? 1 : 0}::int8)
    ON CONFLICT (org, memory_id) DO UPDATE SET
      used_count = u.used_count + EXCLUDED.used_count,
      acted_count = u.acted_count + EXCLUDED.acted_count,
      harm_count = u.harm_count + EXCLUDED.harm_count,
      negative_streak = CASE WHEN ${outcome === 'positive'} THEN 0 ELSE u.negative_streak + EXCLUDED.negative_streak END
    RETURNING u.acted_count::int AS acted, u.harm_count::int AS harm, u.negative_streak::int AS streak`.execute(tx)
  return rows[0] ?? { acted: 0, harm: 0, streak: 0 }
}

/** Counts rows that a completed run named: as used, or as shown to it. */
export async function countUses(tx: Tx, org: string, memoryIds: readonly string[], what: 'used' | 'recalled', at: Date): Promise<void> {
  if (memoryIds.length === 0) return
  const recalledAt = what === 'recalled' ? at : null
  await sql`INSERT INTO loom.memory_usage AS u (org, memory_id, used_count, recall_count, last_recalled_at)
    SELECT ${org}, i.id, ${what === 'used' ? 1 : 0}::int8, ${what === 'recalled' ? 1 : 0}::int8, ${recalledAt}::timestamptz
    FROM unnest(${[...memoryIds]}::text[]) AS i(id) ORDER BY i.id
    ON CONFLICT (org, memory_id) DO UPDATE SET used_count = u.used_count + EXCLUDED.used_count,
      recall_count = u.recall_count + EXCLUDED.recall_count,
      last_recalled_at = coalesce(greatest(u.last_recalled_at, EXCLUDED.last_recalled_at), u.last_recalled_at)`.execute(tx)
}

/** What a row that was rejected and restored begins with: no harm, no negatives in a row. */
export async function forgetHarm(tx: Tx, org: string, memoryId: string): Promise<void> {
  await tx
    .updateTable('memory_usage')
    .set({ harm_count: 0n, negative_streak: 0n })
    .where('org', '=', org)
    .where('memory_id', '=', memoryId)
    .execute()
}

export async function tallyOf(tx: Tx, org: string, memoryId: string): Promise<Tally> {
  const row = await tx
    .selectFrom('memory_usage')
    .select(['acted_count', 'harm_count', 'negative_streak'])
    .where('org', '=', org)
    .where('memory_id', '=', memoryId)
    .executeTakeFirst()
  return { acted: Number(row?.acted_count ?? 0n), harm: Number(row?.harm_count ?? 0n), streak: Number(row?.negative_streak ?? 0n) }
}
