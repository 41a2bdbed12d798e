import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AppCard, AppId, AppList } from '../../shared/contract/host-calls.ts'
import { isLoomError } from '../../shared/contract/errors.ts'
import { messageOf } from '../text/message-of.ts'
import { useClient } from './client.tsx'
import { useMaySync } from './sync.ts'

export type { AppCard, AppId, AppTest, ChangeLine } from '../../shared/contract/host-calls.ts'

const APPS = ['host', 'apps'] as const
const TESTING_MS = 250
const IDLE_MS = 15_000

/** The MCP clients of this computer. The files are other programs', so they are looked at again and again. */
export function useApps() {
  const client = useClient()
  const may = useMaySync()
  return useQuery({
    queryKey: APPS,
    enabled: may === true,
    queryFn: () => client.host('host.apps', {}),
    refetchInterval: ({ state: { data } }) => (data?.apps.some((app) => app.testing !== null) ? TESTING_MS : IDLE_MS),
  })
}

export type AppAction = 'write' | 'remove' | 'undo' | 'test' | 'stop'

/** What is done to an app's file, or its test. Writing tests at once what it wrote. */
export function useAppAction(id: AppId) {
  const client = useClient()
  const cache = useQueryClient()
  const keep = (list: AppList): void => void cache.setQueryData(APPS, list)
  const test = async (): Promise<void> => {
    const running = client.host('host.app_test', { app: id })
    // How far it is, while it runs.
    setTimeout(() => void cache.invalidateQueries({ queryKey: APPS }), TESTING_MS)
    keep(await running)
  }
  return useMutation({
    mutationFn: async ({ action, basis }: { action: AppAction; basis: string }): Promise<void> => {
      try {
        if (action === 'write') {
          keep(await client.host('host.app_write', { app: id, basis }))
          await test()
        } else if (action === 'remove') keep(await client.host('host.app_remove', { app: id, basis }))
        else if (action === 'undo') keep(await client.host('host.app_undo', { app: id }))
        else if (action === 'stop') keep(await client.host('host.app_stop', { app: id }))
        else await test()
      } catch (error) {
        // The file is another than was shown: what it is now stands in the card.
        if (isLoomError(error)) await cache.invalidateQueries({ queryKey: APPS })
        throw error
      }
    },
  })
}

/** Writes and tests several apps, one after another; what went wrong with each, by its id ("" where nothing did). */
export function useConnectApps() {
  const client = useClient()
  const cache = useQueryClient()
  const [working, setWorking] = useState<AppId | null>(null)
  const [causes, setCauses] = useState<Partial<Record<AppId, string>>>({})

  async function connectOne({ id, basis }: AppCard): Promise<string> {
    try {
      await client.host('host.app_write', { app: id, basis })
      const list = await client.host('host.app_test', { app: id })
      cache.setQueryData(APPS, list)
      return list.apps.find((app) => app.id === id)?.test?.cause ?? ''
    } catch (error) {
      await cache.invalidateQueries({ queryKey: APPS })
      return messageOf(error)
    }
  }
  /** @returns whether all of them passed their test */
  async function connect(apps: readonly AppCard[]): Promise<boolean> {
    let isWell = true
    for (const app of apps) {
      setWorking(app.id)
      const cause = await connectOne(app)
      isWell &&= cause === ''
      setCauses((before) => ({ ...before, [app.id]: cause }))
    }
    setWorking(null)
    return isWell
  }
  return { connect, working, causes }
}
