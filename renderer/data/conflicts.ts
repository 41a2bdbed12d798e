import { useQuery } from '@tanstack/react-query'
import { useClient } from './client.tsx'
import { pairsOf, type OpenPair } from './pair.ts'
import type { ReadRow } from './queries.ts'

/** What a memory stands against, both sides whole, as the judge left it. */
export function useConflicts(row: ReadRow, mayHave: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: ['conflicts', row.memory_id, row.version_text],
    enabled: mayHave,
    staleTime: 5_000,
    queryFn: async ({ signal }): Promise<OpenPair[]> => {
      const { namespace, agent, user_id, session_id, memory_key } = row
      const { pairs } = await client.conflicts.list({ namespace, agent, user_id, session_id, memory_key }, { signal })
      return pairsOf(row.memory_id, pairs)
    },
  })
}
