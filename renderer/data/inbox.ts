import { keepPreviousData, useQuery, type QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { InboxChoice, InboxItem } from '../../shared/contract/ops/sync/inbox.ts'
import { stringifyJson } from '../../shared/contract/json.ts'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient } from './client.tsx'
import { isConnected, useSync } from './sync.ts'

/** What the team's server settled otherwise than this desktop had. */
export interface SyncItem {
  readonly id: string
  readonly kind: 'sync'
  readonly at: string
  readonly item: InboxItem
}

type Answer = OutputOf<'sync.inbox'>

const INBOX = ['sync', 'inbox'] as const
const AGAIN_MS = 5_000

export const syncItemOf = (item: InboxItem): SyncItem => ({ id: item.item_id, kind: 'sync', at: item.created_at, item })

/** Items of this desktop, of whatever namespace, newest first. */
export function useInbox() {
  const client = useClient()
  const { data: status, isLoading: asksStatus } = useSync()
  const answer = useQuery({
    queryKey: INBOX,
    // Also once after a disconnect: what is shown must go.
    enabled: isConnected(status),
    queryFn: ({ signal }) => client.sync.inbox({ limit: 200 }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN_MS,
  })
  const data = isConnected(status) ? answer.data : undefined
  const items = useMemo(() => (data?.items ?? []).map(syncItemOf), [data])
  return {
    items,
    open: data ? openOf(data) : 0,
    error: answer.error,
    loading: asksStatus || answer.isLoading,
    retry: () => void answer.refetch(),
  }
}

const openOf = ({ counts, items }: Answer): number => Math.max(items.length, sumOf(counts))
const sumOf = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** How many wait; for the navigation, so without the items. */
export const useInboxCount = (): number => useSync().data?.inbox ?? 0

/** Takes decided items out of the queue at once. Answers that were on their way may still hold them, and are dropped. */
export async function dropFromInbox(cache: QueryClient, gone: (item: InboxItem) => boolean): Promise<void> {
  await cache.cancelQueries({ queryKey: INBOX })
  cache.setQueryData<Answer>(INBOX, (data) => {
    if (!data) return data
    const counts = { ...data.counts }
    for (const item of data.items) if (gone(item)) counts[item.change] = Math.max(0, (counts[item.change] ?? 0) - 1)
    return { ...data, counts, items: data.items.filter((item) => !gone(item)) }
  })
}

export const isInInbox = (cache: QueryClient, id: string): boolean =>
  cache.getQueryData<Answer>(INBOX)?.items.some((item) => item.item_id === id) ?? false

/** The server has the very text that was written here. */
export const isSameText = ({ mine, server }: InboxItem): boolean =>
  server !== null && mine.value !== null && stringifyJson(mine.value) === stringifyJson(server.value)

const ORDER: readonly InboxChoice[] = ['retry', 'mine', 'accept']

/** What there is to choose. Writing a text again that the server has already would change nothing. */
export const choicesOf = (item: InboxItem): InboxChoice[] =>
  ORDER.filter((choice) => item.choices.includes(choice) && !(choice === 'mine' && isSameText(item)))

/** The choice that the accent is on: what is lost if nothing is done, or else what changes nothing. */
export function mainOf({ change, choices, mine }: InboxItem): InboxChoice {
  const wanted: Readonly<Record<InboxItem['change'], InboxChoice>> = {
    verdict_changed: 'accept',
    value_replaced: 'mine',
    reverted: mine.value === null ? 'accept' : 'mine',
    quarantined: 'retry',
    erased: 'accept',
    lost_on_server: 'mine',
  }
  return choices.includes(wanted[change]) ? wanted[change] : (choices[0] ?? 'accept')
}
