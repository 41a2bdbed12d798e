import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { SAMPLE_TAG, SAMPLE_TRACE, SAMPLES } from '../text/samples.ts'
import { useClient, type LoomClient } from './client.tsx'
import { refreshItems } from './items.ts'
import { HOME_NAMESPACE } from './namespaces.ts'
import { refreshMemory } from './queries.ts'
import { useMaySync } from './sync.ts'

/** They go into the install's own namespace, under an agent of their own: nothing of a person's is among them. */
const PLACE = { namespace: HOME_NAMESPACE, agent: 'loom-samples' } as const
const SAMPLES_KEY = 'samples'

/** How many samples are held: an edited one is a person's own no less, and still a sample. */
export function useSampleCount(namespace: string): number {
  const client = useClient()
  const may = useMaySync()
  const { data } = useQuery({
    queryKey: ['namespace.list', SAMPLES_KEY],
    enabled: may === true && namespace === HOME_NAMESPACE,
    queryFn: async ({ signal }) => {
      const { rows } = await client.memory.list({ ...PLACE, tags_all: [SAMPLE_TAG], limit: 2 * SAMPLES.length }, { signal })
      return rows.filter((row) => row.source_trace === SAMPLE_TRACE).length
    },
  })
  return namespace === HOME_NAMESPACE ? (data ?? 0) : 0
}

function refresh(cache: QueryClient): void {
  refreshItems(cache)
  refreshMemory(cache, null)
}

async function add(client: LoomClient): Promise<void> {
  await client.memory.bulk_set({
    ...PLACE,
    entries: SAMPLES.map(({ tags, ...claim }) => ({ ...claim, tags: [...tags, SAMPLE_TAG], source_trace: SAMPLE_TRACE })),
  })
}

/** @returns how many were taken out; retired, they can be restored like any other */
async function takeOut(client: LoomClient): Promise<number> {
  const { totals } = await client.memory.apply({
    ...PLACE,
    filter: { source_trace: SAMPLE_TRACE },
    limit: 1000,
    action: 'delete',
    reason: 'Samples taken out',
    dry_run: false,
  })
  return totals.applied
}

/** Puts the samples in and takes them out, by the operations of any other memory. */
export function useSamples(): { add(): Promise<void>; takeOut(): Promise<number> } {
  const client = useClient()
  const cache = useQueryClient()
  return {
    async add() {
      await add(client)
      refresh(cache)
    },
    async takeOut() {
      const taken = await takeOut(client)
      refresh(cache)
      return taken
    },
  }
}
