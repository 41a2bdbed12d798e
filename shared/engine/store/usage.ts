import { sql, type RawBuilder } from 'kysely'
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
  /** Of served_count, by operation; undo records of earlier releases have none. */
  readonly servedBy?: Readonly<Record<string, number>>
  /** last_recalled_at of the row that took them over, before. */
  readonly recalledBefore: Date | null
}

/** Two maps of counts as one: their sums, or what is left of the first without the second. */
export function summedCounts(one: RawBuilder<unknown>, other: RawBuilder<unknown>, sign: 1 | -1 = 1): RawBuilder<unknown> {
  return sql`(SELECT coalesce(jsonb_object_agg(c.key, c.times), '{}') FROM (
    SELECT p.key, sum(p.times) AS times FROM (
      SELECT key, value::int8 AS times FROM jsonb_each_text(${one})
      UNION ALL SELECT key, value::int8 * ${sql.lit(sign)} FROM jsonb_each_text(${other})) p
    GROUP BY p.key HAVING sum(p.times) > 0) c)`
}

type Counted = Pick<MovedCounters, 'amounts' | 'servedBy'>

async function add(tx: Tx, org: string, memoryId: string, { amounts, servedBy = {} }: Counted, sign: 1 | -1): Promise<void> {
  const changes = sql.join([
    ...COUNTERS.map((name) => sql`${sql.ref(name)} = greatest(0, memory_usage.${sql.ref(name)} + ${sign * (amounts[name] ?? 0)})`),
    sql`served_by = ${summedCounts(sql`memory_usage.served_by`, sql`${JSON.stringify(servedBy)}::jsonb`, sign)}`,
  ])
  await sql`INSERT INTO loom.memory_usage (org, memory_id) VALUES (${org}, ${memoryId}) ON CONFLICT DO NOTHING`.execute(tx)
  await sql`UPDATE loom.memory_usage SET ${changes} WHERE org = ${org} AND memory_id = ${memoryId}`.execute(tx)
}

/** The row `to` takes over the counters of the row `from`, which is left with none. */
export async function moveCounters(tx: Tx, org: string, from: string, to: string): Promise<MovedCounters | null> {
  const rows = await tx
    .selectFrom('memory_usage')
    .select([...COUNTERS, 'served_by', 'memory_id', 'last_recalled_at'])
    .where('org', '=', org)
    .where('memory_id', 'in', [from, to])
    .execute()
  const dropped = rows.find((row) => row.memory_id === from)
  if (!dropped) return null
  const amounts = Object.fromEntries(COUNTERS.map((name) => [name, Number(dropped[name])]))
  const servedBy = dropped.served_by as Record<string, number>
  await add(tx, org, to, { amounts, servedBy }, 1)
  await add(tx, org, from, { amounts, servedBy }, -1)
  await sql`UPDATE loom.memory_usage SET last_recalled_at = greatest(last_recalled_at, ${dropped.last_recalled_at}::timestamptz)
    WHERE org = ${org} AND memory_id = ${to}`.execute(tx)
  return { from, to, amounts, servedBy, recalledBefore: rows.find((row) => row.memory_id === to)?.last_recalled_at ?? null }
}

/** Puts back what `moveCounters` moved; what was counted since stays where it was counted. */
export async function moveCountersBack(tx: Tx, org: string, moved: MovedCounters): Promise<void> {
  await add(tx, org, moved.to, moved, -1)
  await add(tx, org, moved.from, moved, 1)
  await sql`UPDATE loom.memory_usage SET last_recalled_at = ${moved.recalledBefore}::timestamptz WHERE org = ${org} AND memory_id = ${moved.to}`.execute(
    tx,
  )
}
