import type { Pair } from '../../contract/pair.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import { readCursor, writeCursor } from '../store/cursor.ts'
import { headsById, type Head } from '../store/memories.ts'
import { pagePairs, type PairFilter } from '../store/pair-lists.ts'
import type { PairRow } from '../store/pairs.ts'
import { pairView } from './pair-view.ts'

export interface ShownPair {
  readonly pair: PairRow
  readonly row: Head
  readonly peer: Head
}

/** Pairs of a selector: in its namespace, with a side that it names, both sides readable. */
export function pairFilterOf(context: ReadContext, more: Pick<PairFilter, 'conditions'> & Partial<PairFilter>): PairFilter {
  const { identity, given, caller, now } = context
  return {
    org: identity.org,
    namespace: identity.namespace,
    agent: given.agent,
    userId: given.user_id,
    sessionId: given.session_id,
    bound: boundOf(caller),
    now,
    ...more,
  }
}

/** One page of pairs with their rows. `list` names the list and its filters. */
export async function pageOfPairs(
  filter: PairFilter,
  list: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
  context: ReadContext,
): Promise<{ shown: ShownPair[]; nextCursor: string | null }> {
  const found = await pagePairs(context.db, filter, page.limit + 1, readCursor(list, page.cursor))
  const pairs = found.slice(0, page.limit)
  const ids = pairs.flatMap((pair) => [pair.row_id, pair.peer_id])
  const heads = await headsById(context.db, filter.org, ids)
  const last = pairs.at(-1)
  return {
    shown: pairs.flatMap((pair) => {
      const [row, peer] = [heads.get(pair.row_id), heads.get(pair.peer_id)]
      return row && peer ? [{ pair, row, peer }] : []
    }),
    nextCursor: found.length > page.limit && last ? writeCursor(list, [last.at.toISOString(), last.pair_id]) : null,
  }
}

export const viewOf = ({ pair, row, peer }: ShownPair, now: Date): Pair => pairView(pair, row, peer, now)
