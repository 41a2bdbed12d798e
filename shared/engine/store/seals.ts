import { createHash } from 'node:crypto'
import { sql, type Selectable } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { auditRowHash } from './audit.ts'

/** Seals over the audit log: each holds the one before and its own rows, so that a changed past shows. */

type AuditRow = Selectable<Tables['audit']>

/** Most rows of one seal. */
export const SEAL_ROWS = 1000

export function sealHash(previous: string, rowHashes: readonly string[]): string {
  const hash = createHash('sha256').update(previous)
  for (const row of rowHashes) hash.update(row)
  return hash.digest('hex')
}

/** Orgs with rows that have no seal yet. */
export async function orgsToSeal(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ org: string }>`SELECT DISTINCT org FROM loom.audit WHERE seal IS NULL ORDER BY org`.execute(db)
  return rows.map((row) => row.org)
}

/** Gives the oldest rows without a seal the org's next one, at most 1,000. Answers how many. */
export async function sealNext(tx: Tx, org: string, now: Date): Promise<number> {
  const { rows } = await sql<{ audit_id: string; row_sha256: string }>`SELECT audit_id, row_sha256 FROM loom.audit
    WHERE org = ${org} AND seal IS NULL ORDER BY audit_id LIMIT ${SEAL_ROWS}`.execute(tx)
  if (rows.length === 0) return 0
  const last = await tx.selectFrom('audit_seal').selectAll().where('org', '=', org).orderBy('seal', 'desc').limit(1).executeTakeFirst()
  const previous = last?.hash ?? ''
  const seal = (last?.seal ?? 0n) + 1n
  const hash = sealHash(
    previous,
    rows.map((row) => row.row_sha256),
  )
  await tx.insertInto('audit_seal').values({ org, seal, rows: rows.length, prev_hash: previous, hash, at: now }).execute()
  await sql`UPDATE loom.audit SET seal = ${seal} WHERE org = ${org} AND audit_id = any(${rows.map((row) => row.audit_id)}::text[])`.execute(
    tx,
  )
  return rows.length
}

/** Drops whole seals older than `before`, oldest first; the last one's hash stays as the anchor of the next. */
export async function dropSeals(tx: Tx, before: Date): Promise<number> {
  const { rows } = await sql<{ org: string; seal: bigint }>`SELECT org, max(seal) AS seal FROM loom.audit_seal
    WHERE at < ${before} AND NOT dropped GROUP BY org`.execute(tx)
  for (const { org, seal } of rows) {
    await sql`DELETE FROM loom.audit WHERE org = ${org} AND seal <= ${seal}`.execute(tx)
    await sql`DELETE FROM loom.audit_seal WHERE org = ${org} AND seal < ${seal}`.execute(tx)
    await sql`UPDATE loom.audit_seal SET dropped = true WHERE org = ${org} AND seal = ${seal}`.execute(tx)
  }
  return rows.length
}

export interface ChainReport {
  readonly ok: boolean
  readonly seals: number
  readonly rows_sealed: number
  readonly rows_unsealed: number
  readonly rows_scrubbed: number
  readonly first_bad_seal: number | null
  readonly problem: string
}

const BATCH = 2000

/** The rows of one seal (or those without one) in order, in batches. */
async function* rowsOf(db: Queryable, org: string, seal: bigint | null): AsyncGenerator<AuditRow[]> {
  let after = ''
  for (;;) {
    const rows = await db
      .selectFrom('audit')
      .selectAll()
      .where('org', '=', org)
      .where('seal', seal === null ? 'is' : '=', seal)
      .where('audit_id', '>', after)
      .orderBy('audit_id')
      .limit(BATCH)
      .execute()
    if (rows.length > 0) yield rows
    after = rows.at(-1)?.audit_id ?? after
    if (rows.length < BATCH) return
  }
}

/** Recomputes every seal and every row of an org. A row that was scrubbed is stood for by its kept hash. */
export async function verifyChain(db: Queryable, org: string): Promise<ChainReport> {
  const seals = await db.selectFrom('audit_seal').selectAll().where('org', '=', org).orderBy('seal').execute()
  const tally = { rows_sealed: 0, rows_unsealed: 0, rows_scrubbed: 0 }
  let bad: { seal: number | null; problem: string } | null = null
  const note = (seal: bigint | null, problem: string): void => void (bad ??= { seal: seal === null ? null : Number(seal), problem })
  let expected = 1n
  let previous = ''
  for (const seal of seals) {
    if (seal.dropped) {
      if (expected !== 1n) note(seal.seal, `seal ${seal.seal} is marked dropped after others that are kept`)
      ;[expected, previous] = [seal.seal + 1n, seal.hash]
      continue
    }
    const hashes: string[] = []
    for await (const rows of rowsOf(db, org, seal.seal)) {
      for (const row of rows) {
        if (row.scrubbed) tally.rows_scrubbed++
        else if (auditRowHash(row, row.salt) !== row.row_sha256) note(seal.seal, `row ${row.audit_id} was changed`)
        hashes.push(row.row_sha256)
      }
    }
    tally.rows_sealed += hashes.length
    if (seal.seal !== expected) note(expected, `seal ${expected} is missing`)
    else if (seal.prev_hash !== previous) note(seal.seal, `seal ${seal.seal} does not follow the one before it`)
    else if (hashes.length !== seal.rows) note(seal.seal, `seal ${seal.seal} was made over ${seal.rows} rows and has ${hashes.length}`)
    else if (sealHash(previous, hashes) !== seal.hash) note(seal.seal, `seal ${seal.seal} was made over other rows`)
    ;[expected, previous] = [seal.seal + 1n, seal.hash]
  }
  for await (const rows of rowsOf(db, org, null)) {
    for (const row of rows) {
      tally.rows_unsealed++
      if (row.scrubbed) tally.rows_scrubbed++
      else if (auditRowHash(row, row.salt) !== row.row_sha256) note(null, `row ${row.audit_id}, which has no seal yet, was changed`)
    }
  }
  const { rows: strays } = await sql<{
    seal: bigint
  }>`SELECT a.seal FROM loom.audit a LEFT JOIN loom.audit_seal s ON s.org = a.org AND s.seal = a.seal
    WHERE a.org = ${org} AND a.seal IS NOT NULL AND s.seal IS NULL ORDER BY a.seal LIMIT 1`.execute(db)
  if (strays[0]) note(strays[0].seal, `rows carry seal ${strays[0].seal}, which is missing`)
  const found = bad as { seal: number | null; problem: string } | null
  return {
    ok: found === null,
    seals: seals.filter((seal) => !seal.dropped).length,
    ...tally,
    first_bad_seal: found?.seal ?? null,
    problem: found?.problem ?? '',
  }
}
