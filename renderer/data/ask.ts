import { useQuery } from '@tanstack/react-query'
import { useClient } from './client.tsx'
import type { Filter } from './filter.ts'

/** What memory answers to the words of the search field. */
export function useAnswer(filter: Filter) {
  const client = useClient()
  return useQuery({
    queryKey: ['memory.ask', filter],
    // Asked again it may have changed; what stands on the screen does not change by itself.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: ({ signal }) =>
      client.memory.ask(
        {
          ...(filter.namespace ? { namespace: filter.namespace } : {}),
          query: filter.query.slice(0, 4000),
          include_conflicted: true,
          // A person looking around is no recall: it must not count towards what agents used.
          auto_touch: false,
          ...(filter.everywhere ? { namespace_scope: ['*'] } : {}),
          ...(filter.type ? { memory_type: filter.type } : {}),
          ...(filter.tag ? { tags: [filter.tag] } : {}),
        },
        { signal },
      ),
  })
}
