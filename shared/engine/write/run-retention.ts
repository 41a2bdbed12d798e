import { sql } from 'kysely'
import type { Output } from '../../contract/declare.ts'
import type { runComplete } from '../../contract/ops/run/complete.ts'
import type { Queryable } from '../db/database.ts'
import type { WriteContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { seenBy } from '../store/runs.ts'
import { reviseRow } from './revise-row.ts'
import { isLive, lockOf } from './state.ts'

export type Retained = Output<typeof runComplete>['retained']

const DEMOTED_TO = 0.5
const KEPT_MS = 7 * 86_400_000

/** Rows whose newest version the run wrote: live ones, and proposals. */
export async function rowsOfRun(
  db: Queryable,
  runId: string,
  { identity, caller }: Pick<WriteContext, 'identity' | 'caller'>,
): Promise<Head[]> {
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m WHERE m.org = ${identity.org} AND m.namespace = ${identity.namespace}
    AND m.run_id <> '' AND m.run_id = ${runId} AND m.erased_by = '' AND m.status IN ('active', 'conflicted', 'duplicate', 'proposed')
    AND ${seenBy(caller, 'm')} ORDER BY m.memory_key, m.memory_id`.execute(db)
  return rows
}

/** Why a row keeps what it has, as an error code; "" where nothing stands against it. */
function refusalOf(head: Head, retain: 'demote' | 'expire', now: Date): string {
  const lock = lockOf(head, now)
  // A proposal is decided by its trial alone, and is to every other write as if it were not there.
  if (head.status === 'proposed') return 'NOT_FOUND'
  if (lock && (retain === 'expire' || lock.mode === 'read_only')) return 'LOCKED'
  return head.pinned ? 'PINNED_CONFLICT' : ''
}

/** The changes that make it so; null for a row that expires as early by itself, or has nothing left to lose. */
function changesTo(head: Head, retain: 'demote' | 'expire', runId: string, endedAt: Date): Partial<Head> | null {
  if (retain === 'demote') return head.confidence === 0 ? null : { confidence: head.confidence * DEMOTED_TO }
  const week = new Date(endedAt.getTime() + KEPT_MS)
  const expires_at = head.valid_to !== null && head.valid_to < week ? head.valid_to : week
  if (head.expires_at !== null && head.expires_at <= expires_at) return null
  return { expires_at, on_expire: 'tombstone', expire_reason: `run:${runId}`, expiry_cleared: false }
}

/** What becomes of the memories of a run that is over (CHG049): each changed row is a version with its audit row. */
export async function retainRows(
  heads: readonly Head[],
  retain: 'demote' | 'expire',
  run: { readonly run_id: string; readonly endedAt: Date },
  op: string,
  context: WriteContext,
): Promise<Retained> {
  const { now, actor } = context
  const refused: Retained['refused'] = []
  let changed = 0
  for (const head of heads) {
    if (head.status !== 'proposed' && !isLive(head, now)) continue
    const code = refusalOf(head, retain, now)
    if (code !== '') {
      refused.push({ memory_key: head.memory_key, memory_id: head.memory_id, code })
      continue
    }
    const changes = changesTo(head, retain, run.run_id, run.endedAt)
    if (changes === null) continue
    await reviseRow(head, { ...changes, actor }, op, context)
    changed++
  }
  return { demoted: retain === 'demote' ? changed : 0, expired: retain === 'expire' ? changed : 0, refused }
}
