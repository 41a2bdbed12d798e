import { LoomError } from '../../../contract/errors.ts'
import { parseJson } from '../../../contract/json.ts'
import type { Json } from '../../../domain/claim/json.ts'
import type { WriteContext } from '../../handler.ts'
import type { Head } from '../../store/memories.ts'
import { openPairsOf } from '../../store/pair-lists.ts'
import { settlePair } from '../../store/pairs.ts'
import { passPrecondition } from '../claim-answer.ts'
import { reviseRow } from '../revise-row.ts'
import { STANDING } from '../state.ts'
import { settledAnswer, type SettleAnswer } from './answer.ts'
import type { FoundPair } from './find-pair.ts'
import { writeMerge, type AssessedMerge } from './merge.ts'
import type { SettleCall } from './settle-pair.ts'
import { touchedBy, writeUndo } from './undo-record.ts'

/** A pair of two versions of one row: what two hosts wrote at one key without knowing of each other. */

/**
 * The value that a resolution writes as a new version of the row; undefined: the head stays.
 * @throws LoomError INVALID_ARGUMENT for keep_both: one key holds one value. PRECONDITION_FAILED for a version that was redacted.
 */
export function valueToWrite({ peer }: FoundPair, call: Pick<SettleCall, 'resolution' | 'value'>): Json | undefined {
  if (call.resolution === 'keep_both')
    throw new LoomError('INVALID_ARGUMENT', 'Both are versions of one key, which holds one value. Keep one, or merge them.', {
      field: 'resolution',
    })
  if (call.resolution === 'merge') return call.value
  if (call.resolution !== 'keep_peer') return undefined
  if (peer.value === null || peer.redacted)
    throw new LoomError('PRECONDITION_FAILED', 'That version was redacted: its value is gone.', { current_sha256: '' })
  return parseJson(peer.value) as Json
}

/** The head is live by itself again, or stays in conflict with what else stands against it. */
async function clearFlag(row: Head, others: number, call: SettleCall, context: WriteContext): Promise<Head> {
  if (row.status !== 'conflicted' || others > 0) return row
  return call.dryRun ? { ...row, ...STANDING } : reviseRow(row, STANDING, call.op, context)
}

/** keep_row clears the flag; keep_peer and merge write a value as a new version. @throws LoomError as memory.update */
export async function settleVersions(
  found: FoundPair,
  call: SettleCall,
  assessed: AssessedMerge | null,
  context: WriteContext,
): Promise<SettleAnswer> {
  const { tx, now, actor } = context
  const { pair, row, peer } = found
  const value = valueToWrite(found, call)
  passPrecondition(call.ifMatch, row)
  passPrecondition(call.peerIfMatch, peer)
  const others = (await openPairsOf(tx, row.org, [row.memory_id], now)).filter((other) => other.pair_id !== pair.pair_id)
  const merge = { op: call.op, value, dryRun: call.dryRun }
  const after = value === undefined ? await clearFlag(row, others.length, call, context) : await writeMerge(found, merge, assessed, context)
  if (!call.dryRun) {
    await settlePair(tx, row.org, pair.pair_id, {
      resolution: call.resolution,
      by: actor,
      at: now,
      rowSha256: row.content_sha256,
      peerSha256: peer.content_sha256,
      undo: writeUndo({
        touched: after.version === row.version ? [] : [touchedBy(row, after)],
        staled: value === undefined ? [] : others.map((other) => other.pair_id),
        opened: [],
        moved: null,
        mergedSha256: value === undefined ? '' : after.content_sha256,
        note: call.note,
      }),
    })
  }
  return settledAnswer(found, { kept: [after], dead: null, left: value === undefined ? others.length : 0 }, call)
}
