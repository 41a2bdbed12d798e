import { keepPreviousData, useQuery, type QueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient } from './client.tsx'
import { useEngineInfo } from './queries.ts'

export type SyncStatus = OutputOf<'sync.status'>

const STATUS = ['sync', 'status'] as const

/** How soon the state is asked for again, in milliseconds: what passes often, what stays seldom. */
const AGAIN_MS: Readonly<Record<SyncStatus['state'], number>> = {
  off: 30_000,
  connecting: 1_000,
  erasing: 1_000,
  syncing: 1_000,
  idle: 5_000,
  offline: 5_000,
  paused: 10_000,
  revoked: 30_000,
  error: 5_000,
}

/** Whether the caller may ask how this host stands with a team, and change it; null while that is not known. */
export function useMaySync(): boolean | null {
  const { data: info } = useEngineInfo()
  return info ? info.host === 'desktop' && info.principal.grants['*'] === 'platform_admin' : null
}

/** How this desktop stands with its team. */
export function useSync() {
  const client = useClient()
  const may = useMaySync()
  return useQuery({
    queryKey: STATUS,
    enabled: may === true,
    queryFn: ({ signal }) => client.sync.status({}, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => AGAIN_MS[data?.state ?? 'off'],
  })
}

/** The install's own org and the team's, once the person of the install is connected. */
export function useTeam(): { readonly home: string; readonly org: string } | null {
  const { data: info } = useEngineInfo()
  const { data: status } = useSync()
  const home = info && info.principal.token_id === '' ? info.principal.org : ''
  const org = status?.org ?? ''
  return useMemo(() => (home && org ? { home, org } : null), [home, org])
}

export const isConnected = (status: SyncStatus | undefined): boolean => status !== undefined && status.org !== ''

/** Everything that shows how syncing stands reads again. Resolves when it has. */
export async function refreshSync(cache: QueryClient): Promise<void> {
  await cache.invalidateQueries({ queryKey: ['sync'] })
}
