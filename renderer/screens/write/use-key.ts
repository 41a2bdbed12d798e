import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useClient, type LoomClient } from '../../data/client.tsx'
import type { ReadRow } from '../../data/queries.ts'
import { withoutSecrets } from '../../text/secret.ts'
import { suggestKeys } from '../../text/suggest-key.ts'

async function holderOf(client: LoomClient, namespace: string, key: string, signal: AbortSignal): Promise<ReadRow | null> {
  const answer = await client.memory.get({ ...(namespace ? { namespace } : {}), memory_key: key }, { signal })
  return answer.found ? (answer as ReadRow) : null
}

/** A key that several agents hold is taken, whosoever's it is. */
async function isTaken(client: LoomClient, namespace: string, key: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await holderOf(client, namespace, key, signal)) !== null
  } catch (error) {
    if ((error as { code?: string }).code === 'AMBIGUOUS_KEY') return true
    throw error
  }
}

const MOST_NUMBERED = 20

/**
 * Keys for the text that hold nothing yet: a suggestion must never write over a fact that the person did not see.
 */
export function useSuggestedKeys(namespace: string, text: string, enabled: boolean): readonly string[] {
  const client = useClient()
  const candidates = enabled ? suggestKeys(withoutSecrets(text)) : []
  const free = useQuery({
    queryKey: ['free-keys', namespace, candidates],
    enabled: candidates.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<string[]> => {
      const taken = await Promise.all(candidates.map((key) => isTaken(client, namespace, key, signal)))
      const open = candidates.filter((_, at) => !taken[at])
      for (let number = 2; !open.length && number <= MOST_NUMBERED; number++) {
        const numbered = `${candidates[0]}-${number}`
        if (!(await isTaken(client, namespace, numbered, signal))) open.push(numbered)
      }
      return open
    },
  })
  return candidates.length ? (free.data ?? []) : []
}

/** The memory that a key, typed by the person, holds already; saving would then revise it. */
export function useKeyHolder(namespace: string, key: string, enabled: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: ['key-holder', namespace, key],
    enabled: enabled && key !== '',
    queryFn: ({ signal }) => holderOf(client, namespace, key, signal),
  })
}
