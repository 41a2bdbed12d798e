import type { Pair } from '../../contract/pair.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import { readCursor, writeCursor } from '../store/cursor.ts'
import type { Head } from '../store/memories.ts'
import { pagePairs, type PairFilter } from '../store/pair-lists.ts'
import { sidesOf } from '../store/pair-sides.ts'
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
  const sides = await sidesOf(context.db, filter.org, pairs)
  const last = pairs.at(-1)
  return {
    shown: pairs.flatMap((pair) => {
      const both = sides.get(pair.pair_id)
      return both ? [{ pair, ...both }] : []
    }),
    nextCursor: found.length > page.limit && last ? writeCursor(list, [last.at.toISOString(), last.pair_id]) : null,
  }
}

export const viewOf = ({ pair, row, peer }: ShownPair, now: Date): Pair => pairView(pair, row, peer, now)
