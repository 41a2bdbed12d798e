import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient } from './client.tsx'
import { placeOf } from './places.ts'
import { useMaySync } from './sync.ts'

export type { AgentRow } from '../../shared/contract/host-calls.ts'
export type Run = OutputOf<'run.list'>['runs'][number]

/** How often the screen reads again, and how often the navigation counts. Milliseconds. */
const AGENTS_MS = 10_000
const COUNT_MS = 60_000
const RUNS = 20
/** What is shown at first of what an agent wrote, or was served. */
export const SHOWN = 4
export const MOST_SHOWN = 100

/** How many agents of the install, or of the team that is in sight, are connected. */
export function useConnectedCount(namespace: string): number {
  const client = useClient()
  const { org } = placeOf(namespace)
  const may = useMaySync()
  const { data } = useQuery({
    queryKey: ['host', 'connected', org],
    enabled: may === true,
    queryFn: async () => (await client.host('host.connected', { org })).connected,
    staleTime: AGENTS_MS,
    refetchInterval: COUNT_MS,
  })
  return data ?? 0
}

/** Agents of the install, or of the team that is in sight. */
export function useAgents(namespace: string) {
  const client = useClient()
  const { org } = placeOf(namespace)
  const may = useMaySync()
  return useQuery({
    queryKey: ['host', 'agents', org],
    enabled: may === true,
    queryFn: async () => (await client.host('host.agents', { org })).agents,
    staleTime: AGENTS_MS,
    refetchInterval: AGENTS_MS,
  })
}

export function useWrote(namespace: string, agent: string, all: boolean) {
  const client = useClient()
  const limit = all ? MOST_SHOWN : SHOWN
  return useQuery({
    queryKey: ['host', 'wrote', namespace, agent, limit],
    queryFn: ({ signal }) => client.memory.list({ namespace, agent, limit, with_total: true }, { signal }),
    placeholderData: (before) => before,
    refetchInterval: AGENTS_MS,
  })
}

/** The newest rows of the keys that were served, whatever agent's they are; a key that is gone has none. */
export function useRecalled(namespace: string, agent: string, all: boolean) {
  const client = useClient()
  const limit = all ? MOST_SHOWN : SHOWN
  const { org } = placeOf(namespace)
  return useQuery({
    queryKey: ['host', 'recalled', org, agent, limit],
    queryFn: async ({ signal }) => {
      const { recalled, more } = await client.host('host.agent', { org, agent, limit })
      const rows = await Promise.all(
        recalled.map(async (key) => {
          const place = org === '' ? key.namespace : `${org}/${key.namespace}`
          const { rows: found } = await client.memory.list(
            { namespace: place, key_prefix: key.memory_key, sort: 'key', limit: 1, values: false },
            { signal },
          )
          const row = found.find((one) => one.memory_key === key.memory_key) ?? null
          return { ...key, place, row }
        }),
      )
      return { rows, more }
    },
    placeholderData: (before) => before,
    refetchInterval: AGENTS_MS,
  })
}

/** How much of one agent waits in the review. */
export function useWaiting(namespace: string, agent: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['review', 'of-agent', namespace, agent],
    queryFn: async ({ signal }) => (await client.review.queue({ namespace, agent, limit: 1 }, { signal })).counts.total,
    staleTime: 5_000,
  })
}

/** Runs of an agent that have a name; sessions of MCP are in the list of agents. */
export function useRuns(namespace: string, agent: string) {
  const client = useClient()
  return useInfiniteQuery({
    queryKey: ['host', 'runs', namespace, agent],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      client.run.list({ namespace, agent, implicit: false, limit: RUNS, ...(pageParam && { cursor: pageParam }) }, { signal }),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: AGENTS_MS,
  })
}
