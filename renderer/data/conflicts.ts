import { useQuery } from '@tanstack/react-query'
import type { Json } from '../../shared/contract/common.ts'
import { claimText } from '../text/value-text.ts'
import { useClient, type LoomClient } from './client.tsx'
import type { ReadRow } from './queries.ts'

/** A memory that says otherwise, with what the judge said of the pair where it still says so. */
export interface Against {
  readonly row: ReadRow
  readonly reason: string
  readonly confidence: number | null
}

/** A value with the same words but not the same bytes: a restatement would not be judged again. */
function sameClaimOtherBytes(value: Json): Json {
  return typeof value === 'string' ? `${value} ` : { claim: claimText(value) }
}

/** Asks the judge about the later of the two claims; refused by pins and locks, and then there are no words. */
async function reasonOf(client: LoomClient, row: ReadRow, other: ReadRow, signal: AbortSignal) {
  const [later, earlier] = row.status === 'conflicted' ? [row, other] : [other, row]
  try {
    const judged = await client.memory.set(
      {
        namespace: later.namespace,
        agent: later.agent,
        user_id: later.user_id,
        session_id: later.session_id,
        memory_key: later.memory_key,
        value: sameClaimOtherBytes(later.value),
        dry_run: true,
      },
      { signal },
    )
    const peer = judged.peers.find((candidate) => candidate.memory_id === earlier.memory_id)
    return { reason: peer?.reason ?? '', confidence: peer?.confidence ?? null }
  } catch {
    return { reason: '', confidence: null }
  }
}

/**
 * What a memory stands against. The row itself does not say; a search for its own words does, in the `conflicts` of
 * the hit that it is.
 */
export function useConflicts(row: ReadRow | null, inConflict: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: ['conflicts', row?.memory_id, row?.content_sha256, row?.status],
    enabled: row !== null && inConflict,
    staleTime: 5_000,
    queryFn: async ({ signal }): Promise<Against[]> => {
      if (!row) return []
      const found = await client.memory.search(
        {
          namespace: row.namespace,
          query: claimText(row.value).slice(0, 4000) || row.memory_key,
          top_k: 20,
          include_conflicted: true,
          auto_touch: false,
        },
        { signal },
      )
      const self = found.results.find((hit) => hit.memory_id === row.memory_id)
      const named = found.results.filter((hit) => self?.conflicts.includes(hit.memory_key) || hit.conflicts.includes(row.memory_key))
      const ids = new Set(named.map((hit) => hit.memory_id).filter((id) => id !== row.memory_id))
      // A claim that it stands against need not be near its words.
      const unseen = (self?.conflicts ?? []).filter((key) => !named.some((hit) => hit.memory_key === key))
      const others = await Promise.all([
        ...[...ids].slice(0, 5).map((id) => client.memory.get_by_id({ memory_id: id }, { signal })),
        ...unseen
          .slice(0, 5)
          .map((key) =>
            client.memory.get({ namespace: row.namespace, memory_key: key }, { signal }).catch(() => ({ found: false as const })),
          ),
      ])
      const rows = others.filter((other): other is typeof other & ReadRow => other.found)
      return Promise.all(rows.map(async (other) => ({ row: other, ...(await reasonOf(client, row, other, signal)) })))
    },
  })
}
