import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { SettingKey, SettingValue } from '../../shared/contract/desktop-settings.ts'
import type { OutputOf } from '../../shared/contract/registry.ts'
import { setPreference, type Theme } from '../state/preferences.ts'
import { useClient } from './client.tsx'
import { useChanges } from './live.ts'
import { useMaySync } from './sync.ts'

export type Setting = OutputOf<'settings.get'>['settings'][number]
export type SettingsByKey = Readonly<Record<SettingKey, Setting>>

const SETTINGS = ['settings'] as const

/** The settings of this desktop, by name; nothing where the caller is not the person of the install. */
export function useSettings() {
  const client = useClient()
  const may = useMaySync()
  return useQuery({
    queryKey: SETTINGS,
    enabled: may === true,
    queryFn: async ({ signal }) => {
      const { settings } = await client.settings.get({}, { signal })
      return Object.fromEntries(settings.map((one) => [one.key, one])) as unknown as SettingsByKey
    },
  })
}

/** Changes one setting; null sets it back to its default. Rejects with what Loom says against it. */
export function useSetSetting() {
  const client = useClient()
  const cache = useQueryClient()
  return async <K extends SettingKey>(key: K, value: SettingValue<K> | null): Promise<{ readonly restartNeeded: boolean }> => {
    const answer = await client.settings.set({ values: { [key]: value } })
    await cache.invalidateQueries({ queryKey: SETTINGS })
    return { restartNeeded: answer.restart_needed }
  }
}

/** Reads settings again when any window or program changed one, and puts the theme that they name on this one. */
export function useSettingsUpdates(): void {
  const theme = useSettings().data?.['ui.theme']
  useChanges('settings.changed', SETTINGS[0])
  const named = theme?.source === 'default' ? undefined : (theme?.value as Theme | undefined)
  useEffect(() => {
    if (named) setPreference('theme', named)
  }, [named])
}
