import { keepPreviousData, useInfiniteQuery, useQuery, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient } from './client.tsx'
import { pairOfItem, type OpenPair, type PairKind, type QueueItem } from './pair.ts'
import { proposalOfItem, type OpenProposal } from './proposal.ts'

/** What the queue of a namespace holds. */
export type Judged = OpenPair | OpenProposal
type JudgedFilter = PairKind | 'proposal' | 'all'
type JudgedCounts = Readonly<Record<JudgedFilter, number>>

type Page = OutputOf<'review.queue'>
type Pages = InfiniteData<Page, string | null>

const KINDS: Judged['kind'][] = ['conflict', 'duplicate', 'low_confidence', 'proposal']
const QUEUE = ['review', 'queue'] as const

const pairsIn = ({ counts }: Page): number => counts.conflict + counts.duplicate + counts.low_confidence

const countsOf = (page: Page): JudgedCounts => ({
  conflict: page.counts.conflict,
  duplicate: page.counts.duplicate,
  low_confidence: page.counts.low_confidence,
  proposal: page.counts.proposal,
  all: pairsIn(page) + page.counts.proposal,
})

const judgedOf = (item: QueueItem): Judged[] => [pairOfItem(item) ?? proposalOfItem(item)].filter((one) => one !== null)

/** How many pairs wait in a namespace; for the navigation, so without the pairs. A proposal waits for nobody there. */
export function useReviewCount(namespace: string): number {
  const client = useClient()
  const counts = useQuery({
    queryKey: ['review', 'count', namespace],
    queryFn: async ({ signal }) => pairsIn(await client.review.queue({ namespace, limit: 1 }, { signal })),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
  return counts.data ?? 0
}

/** Pairs and proposals that wait for a person in a namespace, newest first. */
export function useReviewPairs(namespace: string, filter: JudgedFilter) {
  const client = useClient()
  const answer = useInfiniteQuery({
    queryKey: [...QUEUE, namespace, filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      client.review.queue(
        { namespace, kinds: filter === 'all' ? KINDS : [filter], limit: 50, ...(pageParam ? { cursor: pageParam } : {}) },
        { signal },
      ),
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  })
  const pages = answer.data?.pages
  const pairs = useMemo(() => unique((pages ?? []).flatMap((page) => page.items.flatMap(judgedOf))), [pages])
  const first = pages?.[0]
  return {
    pairs,
    counts: first ? countsOf(first) : null,
    loading: answer.isPending,
    /** What is shown is of another filter, or older than it should be. */
    passing: answer.isPlaceholderData,
    error: answer.error,
    hasMore: answer.hasNextPage,
    more: () => void (answer.hasNextPage && !answer.isFetching && answer.fetchNextPage()),
    retry: () => void answer.refetch(),
  }
}

/** One that was settled between two pages moves the next one up. */
function unique(pairs: readonly Judged[]): readonly Judged[] {
  const seen = new Set<string>()
  return pairs.filter((pair) => !seen.has(pair.id) && seen.add(pair.id))
}

/**
 * Takes a settled pair out of every queue. Answers that were on their way are dropped first: they may still hold it.
 * What reads the queue reads it again.
 */
export async function dropFromQueue(cache: QueryClient, pair: Judged): Promise<void> {
  await cache.cancelQueries({ queryKey: ['review'] })
  cache.setQueriesData<Pages>({ queryKey: QUEUE }, (data) => data && { ...data, pages: withoutPair(data.pages, pair) })
  if (pair.kind === 'proposal') return
  cache.setQueriesData<number>({ queryKey: ['review', 'count', pair.row.namespace] }, (counted) => counted && counted - 1)
}

/** Resolves when every queue in sight has been read again. */
export async function readQueueAgain(cache: QueryClient): Promise<void> {
  await cache.invalidateQueries({ queryKey: ['review'] })
}

function withoutPair(pages: readonly Page[], { id, kind }: Judged): Page[] {
  if (!pages.some((page) => page.items.some((item) => item.item_id === id))) return [...pages]
  return pages.map((page) => ({
    ...page,
    items: page.items.filter((item) => item.item_id !== id),
    counts: { ...page.counts, [kind]: page.counts[kind] - 1, total: page.counts.total - 1 },
  }))
}

/** True where a queue in sight has the pair. */
export function isQueued(cache: QueryClient, id: string): boolean {
  return cache
    .getQueriesData<Pages>({ queryKey: QUEUE, type: 'active' })
    .some(([, data]) => data?.pages.some((page) => page.items.some((item) => item.item_id === id)))
}
