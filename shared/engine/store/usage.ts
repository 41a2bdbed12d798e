import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

const COUNTERS = [
  'reinforcement_count',
  'recall_count',
  'served_count',
  'used_count',
  'used_cited_count',
  'acted_count',
  'harm_count',
  'evidence_count',
] as const

/** Counters that one row took over from another. */
export interface MovedCounters {
  readonly from: string
  readonly to: string
  readonly amounts: Readonly<Record<string, number>>
  /** last_recalled_at of the row that took them over, before. */
  readonly recalledBefore: Date | null
}

async function add(tx: Tx, org: string, memoryId: string, amounts: Readonly<Record<string, number>>, sign: 1 | -1): Promise<void> {
  const changes = sql.join(
    COUNTERS.map((name) => sql`${sql.ref(name)} = greatest(0, memory_usage.${sql.ref(name)} + ${sign * (amounts[name] ?? 0)})`),
  )
  await sql`INSERT INTO loom.memory_usage (org, memory_id) VALUES (${org}, ${memoryId}) ON CONFLICT DO NOTHING`.execute(tx)
  await sql`UPDATE loom.memory_usage SET ${changes} WHERE org = ${org} AND memory_id = ${memoryId}`.execute(tx)
}

/** The row `to` takes over the counters of the row `from`, which is left with none. */
export async function moveCounters(tx: Tx, org: string, from: string, to: string): Promise<MovedCounters | null> {
  const rows = await tx
    .selectFrom('memory_usage')
    .select([...COUNTERS, 'memory_id', 'last_recalled_at'])
    .where('org', '=', org)
    .where('memory_id', 'in', [from, to])
    .execute()
  const dropped = rows.find((row) => row.memory_id === from)
  if (!dropped) return null
  const amounts = Object.fromEntries(COUNTERS.map((name) => [name, Number(dropped[name])]))
  await add(tx, org, to, amounts, 1)
  await add(tx, org, from, amounts, -1)
  await sql`UPDATE loom.memory_usage SET last_recalled_at = greatest(last_recalled_at, ${dropped.last_recalled_at}::timestamptz)
    WHERE org = ${org} AND memory_id = ${to}`.execute(tx)
  return { from, to, amounts, recalledBefore: rows.find((row) => row.memory_id === to)?.last_recalled_at ?? null }
}

/** Puts back what `moveCounters` moved; what was counted since stays where it was counted. */
export async function moveCountersBack(tx: Tx, org: string, moved: MovedCounters): Promise<void> {
  await add(tx, org, moved.to, moved.amounts, -1)
  await add(tx, org, moved.from, moved.amounts, 1)
  await sql`UPDATE loom.memory_usage SET last_recalled_at = ${moved.recalledBefore}::timestamptz WHERE org = ${org} AND memory_id = ${moved.to}`.execute(
    tx,
  )
}
