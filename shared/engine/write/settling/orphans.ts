import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'
import type { WriteContext } from '../../handler.ts'
import { headById, lockKeys, type Head } from '../../store/memories.ts'
import { markStale } from '../../store/pairs.ts'
import { reviseRow } from '../revise-row.ts'
import { isLive, STANDING } from '../state.ts'
import { duplicatesOf, pairIdsWith, renameCanonical } from './successor.ts'

/** Where orphans are looked for; fields left out do not narrow. */
export interface OrphanScope {
  readonly org: string
  readonly namespace: string
  readonly agent?: string | undefined
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
}

/** Canonical rows that are gone (tombstoned, erased, rejected, superseded or never there) and still have duplicates. */
export async function goneCanonicals(db: Queryable, scope: OrphanScope, limit: number): Promise<string[]> {
  const same = (column: string, value: string | undefined) => (value === undefined ? sql`true` : sql`d.${sql.raw(column)} = ${value}`)
  const { rows } = await sql<{ duplicate_of: string }>`SELECT DISTINCT d.duplicate_of FROM loom.memory d
    LEFT JOIN loom.memory c ON c.org = d.org AND c.memory_id = d.duplicate_of AND c.erased_by = ''
    WHERE d.org = ${scope.org} AND d.namespace = ${scope.namespace} AND d.status = 'duplicate' AND d.erased_by = ''
      AND ${same('agent', scope.agent)} AND ${same('user_id', scope.userId)} AND ${same('session_id', scope.sessionId)}
      AND (c.memory_id IS NULL OR c.status IN ('tombstoned', 'rejected', 'superseded'))
    ORDER BY d.duplicate_of LIMIT ${limit}`.execute(db)
  return rows.map((row) => row.duplicate_of)
}

const MOST_STEPS = 16

/** What took the place of a superseded row, as long as it leads to a row that lives. */
async function successorOf(db: Queryable, org: string, canonical: Head | null, now: Date): Promise<Head | null> {
  let head = canonical
  for (let step = 0; step < MOST_STEPS && head?.status === 'superseded' && head.superseded_by !== ''; step++) {
    head = await headById(db, org, head.superseded_by)
    if (head && isLive(head, now)) return head
  }
  return null
}

const GONE = new Set(['tombstoned', 'rejected', 'superseded'])

/** The row that duplicates of a gone row go to: its successor, or the one of them that becomes active. */
export async function heirOf(
  db: Queryable,
  org: string,
  canonicalId: string,
  now: Date,
): Promise<{ orphans: Head[]; successor: Head | null }> {
  const canonical = await headById(db, org, canonicalId)
  if (canonical && !GONE.has(canonical.status)) return { orphans: [], successor: null }
  return { orphans: await duplicatesOf(db, org, canonicalId), successor: await successorOf(db, org, canonical, now) }
}

/**
 * Gives the duplicates of a gone row another to name: the most reinforced of them, then the oldest, becomes active and
 * the others name it; a row that was superseded passes them to what took its place. Answers the row that became active.
 */
export async function adoptOrphans(org: string, canonicalId: string, op: string, context: WriteContext): Promise<Head | null> {
  const { tx, now, parts } = context
  const seen = await duplicatesOf(tx, org, canonicalId)
  await lockKeys(
    tx,
    parts.database.kind,
    seen.map((row) => `${org}/${row.namespace}/${row.memory_key}`),
  )
  const { orphans, successor } = await heirOf(tx, org, canonicalId, now)
  const [first, ...others] = orphans
  if (!first) return null
  await markStale(
    tx,
    org,
    orphans.flatMap((row) => pairIdsWith([row], { memory_id: canonicalId })),
  )
  if (successor) {
    await renameCanonical(orphans, successor, op, context)
    return null
  }
  const heir = await reviseRow(first, STANDING, op, context)
  await renameCanonical(others, heir, op, context)
  return heir
}
