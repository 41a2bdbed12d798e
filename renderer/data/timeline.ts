import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient } from './client.tsx'
import type { ReadRow } from './queries.ts'

export type TimelineRow = OutputOf<'memory.timeline'>['rows'][number]

/** What a timeline is asked about; an empty name asks for nothing. */
export interface About {
  readonly entity: string
  readonly tag: string
}

const ROOT = 'timeline'
const PAGE = 500
/** Versions that the window holds at most; what is older is reached by an entity or a tag. */
export const MOST_VERSIONS = 20_000
/** With more pages than these a change is offered, not read at once: every page would be read again. */
const FEW_PAGES = 2
const GATHER_MS = 250

export interface Timeline {
  /** The versions, the latest first; until all are read, those of the first page. */
  readonly rows: readonly TimelineRow[]
  /** How many are read so far. */
  readonly read: number
  /** Every version is here that will be. */
  readonly complete: boolean
  /** There are more than the window holds. */
  readonly cut: boolean
  readonly readAt: number
  readonly error: Error | null
  /** Something changed that is not shown yet. */
  readonly stale: boolean
  retry(): void
}

/** Every version of a namespace with both its times, read page after page. */
export function useTimeline(namespace: string, about: About): Timeline {
  const client = useClient()
  const cache = useQueryClient()
  const [stale, setStale] = useState(false)
  const queryKey = useMemo(() => [ROOT, 'rows', namespace, about.entity, about.tag], [namespace, about.entity, about.tag])
  const answer = useInfiniteQuery({
    queryKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      client.memory.timeline(
        {
          namespace,
          order: 'desc',
          include_expired: true,
          limit: PAGE,
          ...(about.entity !== '' && { entity: about.entity }),
          ...(about.tag !== '' && { tags: [about.tag] }),
          ...(pageParam !== '' && { cursor: pageParam }),
        },
        { signal },
      ),
    getNextPageParam: (page, pages) => (pages.length * PAGE < MOST_VERSIONS ? page.next_cursor : null),
    staleTime: 5_000,
  })
  const { hasNextPage, isFetching, isError, fetchNextPage } = answer
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false })
  }, [hasNextPage, isFetching, isError, fetchNextPage])

  const pages = answer.data?.pages
  const many = useRef(false)
  useEffect(() => {
    many.current = (pages?.length ?? 0) > FEW_PAGES
  }, [pages])
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null
    const apply = (): void => {
      timer = null
      if (many.current) setStale(true)
      else void cache.invalidateQueries({ queryKey })
    }
    const stop = client.events((event) => {
      if (event.type === 'memory.changed' || event.type === 'stream.opened') timer ??= setTimeout(apply, GATHER_MS)
    })
    return () => {
      stop()
      if (timer) clearTimeout(timer)
    }
  }, [client, cache, queryKey])

  const first = pages?.[0]?.rows
  const all = useMemo(() => (hasNextPage ? null : (pages?.flatMap((page) => page.rows) ?? [])), [hasNextPage, pages])
  return {
    rows: all ?? first ?? NONE,
    read: pages?.reduce((sum, page) => sum + page.rows.length, 0) ?? 0,
    complete: pages !== undefined && !hasNextPage,
    cut: !hasNextPage && typeof pages?.at(-1)?.next_cursor === 'string',
    readAt: answer.dataUpdatedAt,
    error: answer.error,
    stale,
    retry: () => {
      setStale(false)
      void answer.refetch()
    },
  }
}

const NONE: readonly TimelineRow[] = []

export type Basis = 'valid_time' | 'knowledge_time'

/** What the engine answers for a memory as of an instant, in one of the two times; `row` is null where nothing stood. */
export function useAsOf(id: string | null, at: number, basis: Basis) {
  const client = useClient()
  return useQuery({
    queryKey: ['memory.get_by_id', id, basis, at],
    enabled: id !== null,
    queryFn: async ({ signal }) => {
      const answer = await client.memory.get_by_id(
        { memory_id: id ?? '', as_of: new Date(at).toISOString(), as_of_basis: basis },
        { signal },
      )
      return { reason: answer.reason, row: answer.found ? (answer as ReadRow) : null }
    },
    staleTime: 30_000,
    gcTime: 30_000,
    // While one steps through the days of a memory, its last answer stands until the next is there.
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  })
}
