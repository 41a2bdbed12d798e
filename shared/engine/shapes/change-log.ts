import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'

/** One noted change: which row, never what was in it. */
export interface Change {
  readonly org: string
  readonly xid: bigint
  readonly relation: string
  readonly op: 'i' | 'u' | 'd'
  /** Values of the key after the org. */
  readonly row_key: readonly string[]
  /** Columns that an update changed. */
  readonly changed: readonly string[]
}

/** How far an org's change log is fanned out, and where it ends now. */
export interface LogPlace {
  /** Every change of a transaction before this one is in the logs of the handles. */
  readonly position: bigint
  /** Grows whenever the handles of the org change. */
  readonly epoch: bigint
  /** No transaction before this one is still running: what it wrote is to be seen, and final. */
  readonly horizon: bigint
  /** Changes wait between position and horizon. */
  readonly waiting: boolean
}

/**
 * Where the log of an org stands. Numbers of a sequence are handed out before the commits that use them, so the order
 * that holds is that of transactions, and only those below the oldest running one are looked at.
 */
export async function placeOf(db: Queryable, org: string, orgs: readonly string[]): Promise<LogPlace> {
  const { rows } = await sql<{ position: string; epoch: string; horizon: string; waiting: boolean }>`
    WITH place AS (SELECT coalesce((SELECT shape_xid FROM loom.org WHERE org = ${org}), '0'::xid8) AS position,
      coalesce((SELECT shape_epoch FROM loom.org WHERE org = ${org}), 0) AS epoch, pg_snapshot_xmin(pg_current_snapshot()) AS horizon)
    SELECT position::text, epoch::text, horizon::text, EXISTS (SELECT 1 FROM loom.change_log c
      WHERE c.org = ANY(${[...orgs]}::text[]) AND c.xid >= place.position AND c.xid < place.horizon) AS waiting FROM place`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the change log gave no answer')
  return { position: BigInt(row.position), epoch: BigInt(row.epoch), horizon: BigInt(row.horizon), waiting: row.waiting }
}

/** The changes that wait, in order. */
export async function waitingChanges(tx: Tx, orgs: readonly string[], { position, horizon }: LogPlace): Promise<Change[]> {
  const { rows } = await sql<{ org: string; xid: string; relation: string; op: Change['op']; row_key: string[]; changed: string }>`
    SELECT org, xid::text AS xid, relation, op, row_key, changed FROM loom.change_log c WHERE org = ANY(${[...orgs]}::text[])
      AND c.xid >= ${String(position)}::xid8 AND c.xid < ${String(horizon)}::xid8 ORDER BY c.xid, c.seq`.execute(tx)
  return rows.map((row) => ({ ...row, xid: BigInt(row.xid), changed: row.changed === '' ? [] : row.changed.split(',') }))
}

/** Notes that everything before `position` is fanned out. */
export async function movePosition(tx: Tx, org: string, position: bigint): Promise<void> {
  await sql`INSERT INTO loom.org (org, created_at, shape_xid) VALUES (${org}, now(), ${String(position)}::xid8)
    ON CONFLICT (org) DO UPDATE SET shape_xid = excluded.shape_xid`.execute(tx)
}

/**
 * Drops what is fanned out and was noted before `before` (null: whenever), and notes up to where in `org.change_floor`: who
 * follows the log otherwise and is not past that has missed something. Answers how many entries went.
 */
export async function compactChanges(tx: Tx, org: string, before: Date | null): Promise<number> {
  const { rows } = await sql<{ gone: number }>`WITH gone AS (DELETE FROM loom.change_log WHERE org = ${org}
      AND xid < coalesce((SELECT shape_xid FROM loom.org WHERE org = ${org}), '0'::xid8)
      AND (${before}::timestamptz IS NULL OR at < ${before}::timestamptz) RETURNING xid),
    noted AS (UPDATE loom.org SET change_floor = greatest(change_floor, (SELECT xid FROM gone ORDER BY xid DESC LIMIT 1))
      WHERE org = ${org} AND EXISTS (SELECT 1 FROM gone))
    SELECT count(*)::int AS gone FROM gone`.execute(tx)
  return rows[0]?.gone ?? 0
}

/** Changes under `*` concern every org: they go when all that are followed are past them. */
export async function compactShared(tx: Tx, before: Date): Promise<void> {
  await sql`DELETE FROM loom.change_log WHERE org = '*' AND at < ${before} AND xid < coalesce(
    (SELECT min(o.shape_xid) FROM loom.org o WHERE o.org IN (SELECT org FROM loom.shape_handle)),
    pg_snapshot_xmin(pg_current_snapshot()))`.execute(tx)
}
