import { infiniteQueryOptions, useInfiniteQuery, useIsFetching, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useClient, type LoomClient } from './client.tsx'
import { isRanked, listInput, NO_FILTER, searchInput, type Filter } from './filter.ts'
import { fromHit, fromListRow, type Item } from './item.ts'

interface Page {
  /** What was asked, so that an answer shown while the next one travels says what it is of. */
  readonly filter: Filter
  readonly items: readonly Item[]
  readonly total: number | null
  readonly cursor: string | null
  readonly ranked: boolean
  readonly degraded: readonly string[]
  readonly abstainReason: string
  readonly readAt: number
}
type Pages = InfiniteData<Page, string | null>

export interface Items {
  readonly items: readonly Item[]
  /** Rows in all, those not fetched yet included. */
  readonly total: number
  readonly shown: Filter | null
  readonly ranked: boolean
  readonly degraded: readonly string[]
  readonly abstainReason: string
  readonly readAt: number
  readonly loading: boolean
  readonly error: Error | null
  readonly hasMore: boolean
  readonly fetchingMore: boolean
  more(): void
  /** Reads page after page while `goOn` says so. @returns the id of the last row, null where it was not reached. */
  readToEnd(goOn: () => boolean): Promise<string | null>
  retry(): void
}

const ITEMS = 'items'
/** A page that is on its way already is waited for, not asked for again. */
const JOIN = { cancelRefetch: false }

const itemsOf = (client: LoomClient, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: [ITEMS, filter],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const readAt = Date.now()
      if (isRanked(filter)) {
        const found = await client.memory.search(searchInput(filter, pageParam), { signal })
        return {
          filter,
          items: found.results.map(fromHit),
          total: null,
          cursor: found.next_cursor,
          ranked: true,
          degraded: found.degraded,
          abstainReason: found.abstain ? found.abstain_reason : '',
          readAt,
        }
      }
      const listed = await client.memory.list(listInput(filter, pageParam), { signal })
      return {
        filter,
        items: listed.rows.map(fromListRow),
        total: listed.total,
        cursor: listed.next_cursor,
        ranked: false,
        degraded: [],
        abstainReason: '',
        readAt,
      }
    },
    getNextPageParam: (page) => page.cursor,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })

const allOf = (namespace: string): Filter => ({ ...NO_FILTER, namespace, query: '' })

/** Asks for the list of a namespace before anything else: it is what a person waits for, and calls are answered in turn. */
export function readFirstItems(cache: QueryClient, client: LoomClient, namespace: string): void {
  void cache.prefetchInfiniteQuery(itemsOf(client, allOf(namespace)))
}

/** Every list is read anew when it is next shown. For a time in which nobody follows what changes. */
export function forgetItems(cache: QueryClient): void {
  cache.removeQueries({ queryKey: [ITEMS] })
}

/** Whether the list of a namespace is known to have rows. */
export function useHasItems(namespace: string, enabled: boolean): boolean {
  const { data } = useInfiniteQuery({ ...itemsOf(useClient(), allOf(namespace)), enabled })
  return (data?.pages[0]?.items.length ?? 0) > 0
}

/** Whether a list or search is being read. */
export const useItemsUnderWay = (): boolean => useIsFetching({ queryKey: [ITEMS] }) > 0

/** The rows that a filter selects, page by page. While a new answer travels, the last one stays. */
export function useItems(filter: Filter): Items {
  const answer = useInfiniteQuery(itemsOf(useClient(), filter))
  // The last answer stays while the next one travels, and where the next one fails.
  const [kept, keep] = useState(answer.data)
  if (answer.data && answer.data !== kept) keep(answer.data)
  const pages = (answer.data ?? kept)?.pages
  const items = useMemo(() => unique(pages ?? []), [pages])
  const first = pages?.[0]
  const hasMore = answer.hasNextPage && answer.data !== undefined
  return {
    items,
    total: Math.max(hasMore ? (first?.total ?? 0) : 0, items.length),
    shown: first?.filter ?? null,
    ranked: first?.ranked ?? false,
    degraded: first?.degraded ?? [],
    abstainReason: first?.abstainReason ?? '',
    readAt: first?.readAt ?? 0,
    loading: answer.isPending && !pages,
    error: answer.error,
    hasMore,
    fetchingMore: answer.isFetchingNextPage,
    more: () => void (hasMore && !answer.isFetching && answer.fetchNextPage(JOIN)),
    readToEnd: async (goOn) => {
      let page = await answer.fetchNextPage(JOIN)
      while (page.hasNextPage && !page.isError && goOn()) page = await page.fetchNextPage(JOIN)
      return page.hasNextPage || page.isError || !goOn() ? null : (page.data?.pages.at(-1)?.items.at(-1)?.id ?? null)
    },
    retry: () => void answer.refetch(),
  }
}

/** A row that moved up between two pages would come twice. */
function unique(pages: readonly Page[]): readonly Item[] {
  if (pages.length <= 1) return pages[0]?.items ?? []
  const seen = new Set<string>()
  return pages.flatMap((page) => page.items.filter((item) => !seen.has(item.id) && seen.add(item.id)))
}

/**
 * After a change of one's own, which `patchItem` has put into every list already: short lists are read again, those
 * out of sight when they are next shown. A list that is scrolled far down stays as it is patched.
 */
export function refreshShortItems(cache: QueryClient): void {
  void cache.invalidateQueries({
    queryKey: [ITEMS],
    predicate: (query) => !query.isActive() || ((query.state.data as Pages | undefined)?.pages.length ?? 0) <= 1,
  })
}

/**
 * Reads lists anew, from their first page alone: of a list scrolled far down, reading every page again would take
 * hundreds of calls.
 */
export function refreshItems(cache: QueryClient): void {
  cache.setQueriesData<Pages>({ queryKey: [ITEMS] }, (data) =>
    data && data.pages.length > 1 ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
  )
  void cache.invalidateQueries({ queryKey: [ITEMS] })
}

/** Takes a row out of every list, or changes it there, before the engine's answer is read again. */
export function patchItem(cache: QueryClient, id: string, change: ((item: Item) => Item) | null): void {
  cache.setQueriesData<Pages>({ queryKey: [ITEMS] }, (data) => {
    if (!data) return data
    return {
      ...data,
      pages: data.pages.map((page) =>
        page.items.some((item) => item.id === id)
          ? {
              ...page,
              total: page.total !== null && !change ? page.total - 1 : page.total,
              items: change
                ? page.items.map((item) => (item.id === id ? change(item) : item))
                : page.items.filter((item) => item.id !== id),
            }
          : page,
      ),
    }
  })
}
