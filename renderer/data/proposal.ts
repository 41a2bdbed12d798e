import { useQuery } from '@tanstack/react-query'
import type { Side } from '../../shared/contract/pair.ts'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient } from './client.tsx'
import type { QueueItem } from './pair.ts'

/** A fact on trial, which a person or an agent accepts or rejects. */
export interface OpenProposal {
  readonly id: string
  readonly kind: 'proposal'
  readonly row: Side
  /** What it contradicts, nearest first; null: nothing was noted. */
  readonly peer: Side | null
  readonly reason: string
  readonly at: string
  /** Further memories that it contradicts. */
  readonly more: number
  /** No other proposal listed holds its key: a decision names a key alone. */
  readonly decidable: boolean
}

export type Decision = 'accept' | 'reject'
export const DECISIONS: readonly Decision[] = ['accept', 'reject']

/** An item of the queue as a proposal; null for any other. */
export function proposalOfItem(item: QueueItem): OpenProposal | null {
  if (item.kind !== 'proposal') return null
  const { item_id: id, row, peer, reason, at, peers_more: more, actions } = item
  return { id, kind: 'proposal', row, peer, reason, at, more, decidable: actions.length > 0 }
}

export type Trial = OutputOf<'memory.proposals'>['proposals'][number]

/** How a proposal fared in the runs that relied on it. */
export function useTrial({ row }: OpenProposal) {
  const client = useClient()
  return useQuery({
    queryKey: ['review', 'trial', row.memory_id, row.version_text],
    staleTime: 5_000,
    queryFn: async ({ signal }): Promise<Trial | null> => {
      const { namespace, agent, user_id, session_id, memory_key } = row
      const { proposals } = await client.memory.proposals({ namespace, agent, user_id, session_id, memory_key }, { signal })
      return proposals.find((one) => one.row.memory_id === row.memory_id) ?? null
    },
  })
}
