import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import type { OutputOf } from '../../shared/contract/registry.ts'
import type { DeliveryState, Webhook } from '../../shared/contract/webhook.ts'
import { useClient } from './client.tsx'
import { useNamespaces } from './namespaces.ts'
import { isAtLeast } from './roles.ts'

export type { DeliveryState, Webhook }
export type Delivery = OutputOf<'webhook.deliveries'>['rows'][number]

const ROOT = 'webhooks'
const PAGE = 25
/** How soon what was sent is asked for again, in milliseconds: the server tells nobody of a delivery. */
const AGAIN_MS = 5_000

/** The team's namespaces whose webhooks the person may see and change. A namespace of this computer alone has none. */
export function useWebhookNamespaces(): readonly string[] {
  const rows = useNamespaces().data ?? []
  return rows.filter((row) => row.namespace.includes('/') && isAtLeast(row.role, 'admin')).map((row) => row.namespace)
}

/** The webhooks of a namespace, oldest first. */
export function useWebhooks(namespace: string) {
  const client = useClient()
  return useQuery({
    queryKey: [ROOT, 'list', namespace],
    queryFn: async ({ signal }) => (await client.webhook.list({ namespace }, { signal })).webhooks,
    refetchInterval: AGAIN_MS,
  })
}

/** Events of the last days and what became of them, newest first. */
export function useDeliveries(namespace: string, state: DeliveryState | null) {
  const client = useClient()
  return useInfiniteQuery({
    queryKey: [ROOT, 'deliveries', namespace, state],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      client.webhook.deliveries({ namespace, state, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) }, { signal }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
  })
}

export function useRefreshWebhooks(): () => Promise<void> {
  const cache = useQueryClient()
  return () => cache.invalidateQueries({ queryKey: [ROOT] })
}
