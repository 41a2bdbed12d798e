import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { useClient } from './client.tsx'
import { useChanges } from './live.ts'
import { useMaySync } from './sync.ts'

export type Backup = OutputOf<'backup.list'>['backups'][number]

const BACKUPS = ['backups'] as const

/** The ring of backups, newest first; read again when Loom made one by itself. */
export function useBackups() {
  const client = useClient()
  const may = useMaySync()
  useChanges('backups.changed', BACKUPS[0])
  return useQuery({
    queryKey: BACKUPS,
    enabled: may === true,
    queryFn: async ({ signal }) => (await client.backup.list({}, { signal })).backups,
  })
}

export function useRefreshBackups(): () => Promise<void> {
  const cache = useQueryClient()
  return () => cache.invalidateQueries({ queryKey: BACKUPS })
}
