import { keepPreviousData, queryOptions, useQuery, type QueryClient } from '@tanstack/react-query'
import type { OutputOf } from '../../shared/contract/registry.ts'
import type { Row } from '../../shared/contract/row.ts'
import { useClient, type LoomClient } from './client.tsx'

export type EngineInfo = OutputOf<'engine.info'>
export type ReadRow = Row & { readonly found: true }

const MOST_AROUND = 8

/** State of the engine. Asked often while a model loads: what is not ready yet must not stay on the screen. */
export function useEngineInfo() {
  const client = useClient()
  return useQuery({
    queryKey: ['engine.info'],
    queryFn: ({ signal }) => client.engine.info({}, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.embedder.state === 'ready' && !query.state.error ? 30_000 : 2_000),
  })
}

/** One memory with all its fields; `row` is null where it is deleted, expired or gone, `reason` then says why. */
export const memoryRow = (client: LoomClient, id: string) =>
  queryOptions({
    queryKey: ['memory.get_by_id', id],
    queryFn: async ({ signal }) => {
      const answer = await client.memory.get_by_id({ memory_id: id, include_recall_breakdown: true }, { signal })
      return { reason: answer.reason, row: answer.found ? (answer as ReadRow) : null }
    },
    staleTime: 5_000,
  })

export function useMemoryRow(id: string | null) {
  return useQuery({ ...memoryRow(useClient(), id ?? ''), enabled: id !== null })
}

export function useHistory(id: string | null) {
  const client = useClient()
  return useQuery({
    queryKey: ['memory.history', id],
    enabled: id !== null,
    queryFn: ({ signal }) => client.memory.history({ memory_id: id ?? '', limit: 50 }, { signal }),
    staleTime: 5_000,
  })
}

/** What a memory is tied to: rows around it, and what refers to it. */
export function useAround(namespace: string, id: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['around', id],
    queryFn: async ({ signal }) => {
      const related = await client.memory.related({ namespace, memory_id: id, limit: MOST_AROUND }, { signal })
      const backlinks = await client.memory.backlinks({ namespace, memory_id: id, limit: MOST_AROUND }, { signal })
      return { related: related.rows, backlinks }
    },
    staleTime: 30_000,
  })
}

/** Everything that shows one of the named memories, or counts memories, reads again. @param ids null for any memory */
export function refreshMemory(cache: QueryClient, ids: readonly string[] | null): void {
  for (const of of ids === null ? [[]] : ids.map((id) => [id])) {
    void cache.invalidateQueries({ queryKey: ['memory.get_by_id', ...of] })
    void cache.invalidateQueries({ queryKey: ['memory.history', ...of] })
  }
  void cache.invalidateQueries({ queryKey: ['around'] })
  void cache.invalidateQueries({ queryKey: ['conflicts'] })
  void cache.invalidateQueries({ queryKey: ['review'] })
  void cache.invalidateQueries({ queryKey: ['engine.info'] })
  void cache.invalidateQueries({ queryKey: ['namespace.list'] })
  void cache.invalidateQueries({ queryKey: ['sync'] })
}
