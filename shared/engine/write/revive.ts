import type { Settlement } from '../../domain/verdict/settle.ts'
import type { WriteContext } from '../handler.ts'
import { indexedRowOf } from '../index/indexed-row.ts'
import { replaceVectors, type Vectors } from '../store/attachments.ts'
import { carrySources } from '../store/attached.ts'
import { memoryAudit, writeAudit } from '../store/audit.ts'
import { writeVersion, type Head } from '../store/memories.ts'
import type { Content } from './content.ts'
import type { Judged } from './judging.ts'
import { openSettledPairs } from './open-pairs.ts'

/** A retired claim, read and judged again. */
export interface Revival {
  readonly content: Content
  readonly vectors: Vectors | null
  readonly judged: readonly Judged[]
  /** It was a proposal when it was retired, and is one again: only a decision ends a trial (PRO002). */
  readonly onTrial: boolean
}

const stillAhead = (at: Date | null, now: Date): Date | null => (at !== null && at > now ? at : null)

/**
 * Brings a retired row back as a new version. Never refused by the verdict: a contradiction makes it conflicted, the
 * same fact elsewhere a duplicate. A past expiry, and a past end of validity, is dropped.
 */
export async function revive(head: Head, revival: Revival, settlement: Settlement, op: string, context: WriteContext): Promise<Head> {
  const { tx, now, actor, parts } = context
  const { onTrial } = revival
  const holder = onTrial ? null : settlement.holder
  const live: Head = {
    ...head,
    version: parts.versions.next(head.version),
    // A merge would store nothing, and this row has to live: it stands as the duplicate it is.
    status: onTrial ? 'proposed' : (settlement.status ?? 'duplicate'),
    conflict_verdict: settlement.verdict === 'merge' ? 'duplicate' : settlement.verdict,
    duplicate_of: holder?.memoryId ?? '',
    canonical_key: holder?.memoryKey ?? '',
    superseded_by: '',
    superseded_at: null,
    invalid_at: null,
    tombstoned_at: null,
    expires_at: stillAhead(head.expires_at, now),
    valid_to: stillAhead(head.valid_to, now),
    updated_at: now,
    actor,
    rev: head.rev + 1n,
    ...(parts.host === 'server' && { server_recorded_at: now }),
  }
  await writeVersion(tx, live, op)
  await carrySources(tx, live, head.version)
  await replaceVectors(tx, live.org, live.memory_id, revival.vectors, false)
  await openSettledPairs(settlement, revival.judged, live, context, onTrial ? 'proposal' : 'write')
  await writeAudit(tx, [memoryAudit(live, { op, at: now, actor, requestId: context.caller.requestId })])
  context.afterCommit(() => {
    const row = indexedRowOf(live, revival.content, revival.vectors)
    if (row) parts.index.upsert(row)
  })
  context.changed({ op, kind: 'revived', before: head, after: live })
  context.emit({ type: 'memory.changed', org: live.org, namespace: live.namespace, memory_key: live.memory_key, memory_id: live.memory_id })
  return live
}
