import { useMemo } from 'react'
import { useInbox, type SyncItem } from './inbox.ts'
import type { OpenPair, PairKind } from './pair.ts'
import type { OpenProposal } from './proposal.ts'
import { useReviewPairs } from './review.ts'

/** What a person settles: two memories that the judge related, a fact on trial, or a change that the team's server settled otherwise. */
export type OpenItem = OpenPair | OpenProposal | SyncItem
export type ItemKind = PairKind | 'proposal' | 'sync'
export type QueueFilter = ItemKind | 'all'
export type Counts = Readonly<Record<QueueFilter, number>>

const newestFirst = (a: OpenItem, b: OpenItem): number => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)

/** Pairs and proposals of one namespace, and what changed on sync in any. */
export function useReviewQueue(namespace: string, filter: QueueFilter) {
  const inbox = useInbox()
  const { pairs, counts, ...queue } = useReviewPairs(namespace, filter === 'sync' ? 'all' : filter)
  const items = useMemo<readonly OpenItem[]>(() => {
    if (filter === 'sync') return inbox.items
    return filter === 'all' && inbox.items.length ? [...pairs, ...inbox.items].toSorted(newestFirst) : pairs
  }, [filter, inbox.items, pairs])
  return {
    ...queue,
    // Together: what comes later must not push the first choice down.
    loading: queue.loading || inbox.loading,
    items,
    counts: counts && { ...counts, sync: inbox.open, all: counts.all + inbox.open },
    error: queue.error ?? inbox.error,
    hasMore: filter !== 'sync' && queue.hasMore,
    retry: () => {
      queue.retry()
      if (inbox.error) inbox.retry()
    },
  }
}

/** The memory that an item is about; empty where it was erased. */
export const keyOf = (item: OpenItem): string => (item.kind === 'sync' ? item.item.memory_key : item.row.memory_key)
