import { sql } from 'kysely'
import { JUDGE_VERSION } from '../../../domain/judge/version.ts'
import type { Queryable } from '../../db/database.ts'
import type { WriteContext } from '../../handler.ts'
import type { Head } from '../../store/memories.ts'
import { openPairs, pairId } from '../../store/pairs.ts'
import { reviseRow } from '../revise-row.ts'

/** Rows stored as duplicates of a row, the most reinforced first, then the oldest. */
export async function duplicatesOf(db: Queryable, org: string, memoryId: string): Promise<Head[]> {
  return db
    .selectFrom('memory as m')
    .leftJoin('memory_usage as u', (join) => join.onRef('u.org', '=', 'm.org').onRef('u.memory_id', '=', 'm.memory_id'))
    .selectAll('m')
    .where('m.org', '=', org)
    .where('m.duplicate_of', '=', memoryId)
    .where('m.status', '=', 'duplicate')
    .where('m.erased_by', '=', sql.lit(''))
    .orderBy((order) => order.fn.coalesce('u.reinforcement_count', order.lit(0)), 'desc')
    .orderBy('m.created_at')
    .orderBy('m.memory_id')
    .execute()
}

/** Duplicates name another canonical row from now on: a version of each, and an open pair with the new one. */
export async function renameCanonical(
  duplicates: readonly Head[],
  canonical: Head,
  op: string,
  context: WriteContext,
): Promise<{ before: Head; after: Head }[]> {
  const renamed: { before: Head; after: Head }[] = []
  for (const before of duplicates) {
    const after = await reviseRow(before, { duplicate_of: canonical.memory_id, canonical_key: canonical.memory_key }, op, context)
    renamed.push({ before, after })
  }
  await openPairs(
    context.tx,
    renamed.map(({ after }) => ({
      org: after.org,
      namespace: after.namespace,
      rowId: after.memory_id,
      peerId: canonical.memory_id,
      kind: 'duplicate' as const,
      relation: after.canonical_sha256 === canonical.canonical_sha256 ? 'same' : 'restates',
      similarity: 1,
      reason: 'Both repeated the same row, which is gone.',
      confidence: 1,
      unsure: false,
      judgeVersion: JUDGE_VERSION,
      at: context.now,
      origin: 'resolver' as const,
      rowSha256: after.content_sha256,
      peerSha256: canonical.content_sha256,
    })),
  )
  return renamed
}

export const pairIdsWith = (duplicates: readonly Head[], canonical: Pick<Head, 'memory_id'>): string[] =>
  duplicates.map((row) => pairId(row.memory_id, canonical.memory_id))
