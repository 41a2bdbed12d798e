import type { z } from 'zod'
import type { settleAnswer } from '../../../contract/pair.ts'
import type { Given } from '../../identity.ts'
import type { Head } from '../../store/memories.ts'
import type { FoundPair } from './find-pair.ts'

export type SettleAnswer = { [K in keyof typeof settleAnswer]: z.output<(typeof settleAnswer)[K]> }

interface Asked {
  readonly dryRun: boolean
  /** What the caller must name besides to reach the pair again. */
  readonly place?: Given
}

/** What a call answers that settles nothing. */
export function notSettled(reason: 'not_found' | 'settled' | 'stale', { dryRun }: Asked): SettleAnswer {
  return {
    found: reason !== 'not_found',
    resolved: false,
    reason,
    pair_id: '',
    kept: [],
    tombstoned: null,
    open_left: 0,
    noop: false,
    dry_run: dryRun,
    undo: null,
  }
}

const versioned = (head: Head) => ({
  memory_key: head.memory_key,
  memory_id: head.memory_id,
  version: head.version,
  version_text: head.version.toString(),
})

/** What became of the two rows. In a dry run rows are shown with the version that they have. */
export function settledAnswer(
  found: FoundPair,
  rows: { kept: readonly Head[]; dead: Head | null; left: number },
  { dryRun, place }: Asked,
): SettleAnswer {
  const { pair_id } = found.pair
  return {
    found: true,
    resolved: true,
    reason: '',
    pair_id,
    kept: rows.kept.map((head) => ({ ...versioned(head), status: head.status })),
    tombstoned: rows.dead && versioned(rows.dead),
    open_left: rows.left,
    noop: false,
    dry_run: dryRun,
    undo: dryRun ? null : { op: 'conflicts.resolve', arguments: { ...place, pair_id, resolution: 'reopen' } },
  }
}
