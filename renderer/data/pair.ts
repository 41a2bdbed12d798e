import type { Json } from '../../shared/contract/common.ts'
import type { Pair, Side } from '../../shared/contract/pair.ts'
import type { CallInputOf, OutputOf } from '../../shared/contract/registry.ts'

/** What a pair waits for: a choice between two, one of two, or an answer to a question. */
export type PairKind = 'conflict' | 'duplicate' | 'low_confidence'
export type Choice = 'keep_row' | 'keep_peer' | 'keep_both' | 'merge'

/** Two memories that the judge related, still open. `row` is the later write. */
export interface OpenPair {
  readonly id: string
  readonly kind: PairKind
  readonly row: Side
  readonly peer: Side
  readonly reason: string
  readonly confidence: number | null
  readonly unsure: boolean
  readonly at: string
  /** Further open pairs of the row. */
  readonly more: number
}

export type QueueItem = OutputOf<'review.queue'>['items'][number]

/** An item of the queue as a pair; null for one that has a single side. */
export function pairOfItem(item: QueueItem): OpenPair | null {
  const { kind, peer } = item
  if (!peer || (kind !== 'conflict' && kind !== 'duplicate' && kind !== 'low_confidence')) return null
  const { item_id: id, row, reason, confidence, unsure, at, peers_more: more } = item
  return { id, kind, row, peer, reason, confidence, unsure, at, more }
}

/** The open pairs that a memory is a side of, of those that its key is in. */
export function pairsOf(memoryId: string, pairs: readonly Pair[]): OpenPair[] {
  return pairs
    .filter(({ row, peer }) => row.memory_id === memoryId || peer.memory_id === memoryId)
    .map(({ pair_id: id, kind, row, peer, reason, confidence, unsure, at }) => ({
      id,
      kind,
      row,
      peer,
      reason,
      confidence,
      unsure,
      at,
      more: 0,
    }))
}

/** The call that settles a pair as a person saw it: what was written since then refuses it. */
export function settleInput(pair: OpenPair, choice: Choice, value?: Json): CallInputOf<'conflicts.resolve'> {
  return {
    namespace: pair.row.namespace,
    pair_id: pair.id,
    resolution: choice,
    if_match_sha256: pair.row.content_sha256,
    peer_if_match_sha256: pair.peer.content_sha256,
    ...(choice === 'merge' && value !== undefined ? { value } : {}),
  }
}

/** Two versions of one memory, written apart and met at the server. */
export const isOneKey = ({ row, peer }: OpenPair): boolean => row.memory_id === peer.memory_id

/** The side that a choice retires. */
export function dropped(pair: OpenPair, choice: Choice): Side | null {
  if (choice === 'keep_both') return null
  return choice === 'keep_row' ? pair.peer : pair.row
}

/** The choice that the accent is on: of a question whose answer nobody knows, the one that changes nothing. */
export const mainChoice = ({ kind }: OpenPair): Choice => (kind === 'low_confidence' ? 'keep_both' : 'keep_row')

/** Sides that no choice may retire: the engine would refuse it, so it is said beforehand. */
export const guarded = (pair: OpenPair): Side[] =>
  isOneKey(pair) ? [] : [pair.row, pair.peer].filter((side) => side.pinned || side.locked)

/**
 * Which of some items is shown: the chosen one; once it is gone, what took its place. -1 where there is none.
 * @param at place of the chosen one when it was last there
 */
export function placeOf(ids: readonly string[], chosen: string, at: number): number {
  const found = ids.indexOf(chosen)
  return found >= 0 ? found : Math.min(Math.max(at, 0), ids.length - 1)
}
