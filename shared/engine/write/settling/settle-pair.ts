import { LoomError } from '../../../contract/errors.ts'
import { compactJson } from '../../../domain/claim/stored-form.ts'
import type { Json } from '../../../domain/claim/json.ts'
import type { WriteContext } from '../../handler.ts'
import type { Given } from '../../identity.ts'
import { lockKeys, type Head } from '../../store/memories.ts'
import { openPairsOf } from '../../store/pair-lists.ts'
import { isOfVersions } from '../../store/pair-sides.ts'
import { settlePair } from '../../store/pairs.ts'
import { moveCounters } from '../../store/usage.ts'
import { passPrecondition } from '../claim-answer.ts'
import { passGuards } from '../guards.ts'
import { deleteRow } from '../delete-row.ts'
import { reviseRow } from '../revise-row.ts'
import { STANDING } from '../state.ts'
import { findPair, isOpenPair, type FoundPair, type PairTarget } from './find-pair.ts'
import { notSettled, settledAnswer, type SettleAnswer } from './answer.ts'
import { writeMerge, type AssessedMerge } from './merge.ts'
import { reopenPair, type AssessedReopen } from './reopen.ts'
import { settleVersions } from './settle-versions.ts'
import { duplicatesOf, pairIdsWith, renameCanonical } from './successor.ts'
import { touchedBy, writeUndo, type Touched } from './undo-record.ts'

/** How a pair is to be settled. */
export interface SettleCall {
  readonly op: string
  readonly target: PairTarget
  readonly resolution: 'keep_row' | 'keep_peer' | 'keep_both' | 'merge' | 'reopen'
  readonly value?: Json | undefined
  readonly note: string
  readonly ifMatch: string
  readonly peerIfMatch: string
  readonly dryRun: boolean
  /** What the caller must name besides to reach the pair again (`namedPlace`). */
  readonly place: Given
  /** memory.dedup_resolve: only a duplicate is settled, and the kept row takes over the counters of the other. */
  readonly dedup: boolean
}

/** Slow work of a settlement, done before its transaction. */
export interface AssessedSettlement {
  readonly merge: AssessedMerge | null
  readonly reopen: AssessedReopen | null
}

/** A row kept is live by itself, or stays in conflict with what else stands against it. */
async function releaseKept(kept: Head, otherPairs: ReadonlySet<string>, call: SettleCall, context: WriteContext): Promise<Head> {
  if (kept.status !== 'conflicted' && kept.status !== 'duplicate') return kept
  if (otherPairs.size > 0 && kept.status === 'conflicted') return kept
  if (call.dryRun) return { ...kept, ...STANDING }
  return reviseRow(kept, STANDING, call.op, context)
}

async function othersOpen(found: FoundPair, memoryId: string, dropped: string, context: WriteContext): Promise<Set<string>> {
  const open = await openPairsOf(context.tx, found.row.org, [memoryId], context.now)
  return new Set(
    open
      .filter((pair) => pair.pair_id !== found.pair.pair_id && pair.row_id !== dropped && pair.peer_id !== dropped)
      .map((pair) => pair.pair_id),
  )
}

/** The resolution asked for again is no news; another one on a settled pair changes nothing. */
function alreadySettled(found: FoundPair, call: SettleCall): SettleAnswer {
  const { pair, row } = found
  const peer = isOfVersions(pair) ? row : found.peer
  const same = pair.resolution === call.resolution && (call.resolution !== 'merge' || peer.value === compactJson(call.value as Json))
  const kept = [...new Set([row, peer])].filter((side) => side.status !== 'tombstoned')
  if (!same) return { ...notSettled('settled', call), pair_id: pair.pair_id }
  return {
    ...settledAnswer(found, { kept, dead: [row, peer].find((side) => side.status === 'tombstoned') ?? null, left: 0 }, call),
    noop: true,
  }
}

/**
 * Settles a pair in the transaction, and keeps what is needed to put everything back. The caller has checked the target.
 * @throws LoomError AMBIGUOUS_KEY, PRECONDITION_FAILED, PINNED_CONFLICT, LOCKED, and for a merge as memory.update
 */
export async function settleOnePair(call: SettleCall, assessed: AssessedSettlement, context: WriteContext): Promise<SettleAnswer> {
  const first = await findPair(context.tx, call.target, context)
  if (!first) return notSettled('not_found', call)
  await lockKeys(
    context.tx,
    context.parts.database.kind,
    [first.row, first.peer].map((head) => `${head.org}/${head.namespace}/${head.memory_key}`),
  )
  const found = await findPair(context.tx, { pair_id: first.pair.pair_id }, context)
  if (!found) return notSettled('not_found', call)
  const { pair, row } = found
  const isDuplicate = pair.kind === 'duplicate' && (pair.state !== 'open' || row.status === 'duplicate')
  if (call.dedup && !isDuplicate) return notSettled('not_found', call)
  if (pair.state === 'settled')
    return call.resolution === 'reopen' ? reopenPair(found, assessed.reopen, call, context) : alreadySettled(found, call)
  if (!isOpenPair(found, context.now)) return { ...notSettled('stale', call), pair_id: pair.pair_id }
  if (call.resolution === 'reopen')
    return { ...settledAnswer(found, { kept: [found.row, found.peer], dead: null, left: 0 }, call), noop: true, undo: null }
  return isOfVersions(pair) ? settleVersions(found, call, assessed.merge, context) : settleOpen(found, call, assessed, context)
}

async function settleOpen(found: FoundPair, call: SettleCall, assessed: AssessedSettlement, context: WriteContext): Promise<SettleAnswer> {
  const { tx, now, actor } = context
  const { pair, row, peer } = found
  const dropped = call.resolution === 'keep_both' ? null : call.resolution === 'keep_row' ? peer : row
  if (dropped) passGuards(dropped, 'drop', now)
  passPrecondition(call.ifMatch, row)
  passPrecondition(call.peerIfMatch, peer)
  const staled = (await openPairsOf(tx, row.org, [row.memory_id, peer.memory_id], now))
    .map((one) => one.pair_id)
    .filter((id) => id !== pair.pair_id)
  const touched: Touched[] = []
  const opened: string[] = []
  let dead: Head | null = dropped
  if (dropped && !call.dryRun) {
    dead = (await deleteRow(dropped, call.op, context)).dead
    touched.push(touchedBy(dropped, dead))
  }
  const sides = [row, peer].filter((side) => side !== dropped)
  const kept: Head[] = []
  const left = new Set<string>()
  for (const side of sides) {
    const merged = call.resolution === 'merge' && side === peer ? await writeMerge(found, call, assessed.merge, context) : side
    const others = await othersOpen(found, side.memory_id, dropped?.memory_id ?? '', context)
    const after = call.resolution === 'merge' ? merged : await releaseKept(merged, others, call, context)
    if (after.version !== side.version) touched.push(touchedBy(side, after))
    kept.push(after)
    for (const id of others) left.add(id)
  }
  if (call.resolution === 'merge' && kept[0])
    for (const id of await othersOpen(found, kept[0].memory_id, row.memory_id, context)) left.add(id)
  const [heir] = kept
  if (dropped && heir && !call.dryRun && pair.kind === 'duplicate' && call.resolution === 'keep_row') {
    const orphans = (await duplicatesOf(tx, row.org, dropped.memory_id)).filter((other) => other.memory_id !== heir.memory_id)
    for (const { before, after } of await renameCanonical(orphans, heir, call.op, context)) touched.push(touchedBy(before, after))
    opened.push(...pairIdsWith(orphans, heir))
  }
  if (!call.dryRun) {
    const moved = call.dedup && dropped && heir ? await moveCounters(tx, row.org, dropped.memory_id, heir.memory_id) : null
    const mergedSha256 = call.resolution === 'merge' ? (kept[0]?.content_sha256 ?? '') : ''
    await settlePair(tx, row.org, pair.pair_id, {
      resolution: call.resolution,
      by: actor,
      at: now,
      rowSha256: row.content_sha256,
      peerSha256: peer.content_sha256,
      undo: writeUndo({ touched, staled, opened, moved, mergedSha256, note: call.note }),
    })
  }
  return settledAnswer(found, { kept, dead, left: left.size }, call)
}

/** @throws LoomError INVALID_ARGUMENT: `value` belongs to a merge, and a merge needs it. */
export function checkValue(resolution: string, value: unknown): void {
  if ((resolution === 'merge') === (value !== undefined)) return
  const message =
    resolution === 'merge'
      ? 'merge needs value: the claim that takes the place of both.'
      : `value belongs to merge; ${resolution} keeps what is stored.`
  throw new LoomError('INVALID_ARGUMENT', message, { field: 'value' })
}
