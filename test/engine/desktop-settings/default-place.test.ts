import { expect, test } from 'vitest'
import { defaultPlace, requireKnownOrg } from '../../../shared/engine/desktop-settings/default-place.ts'
import { memorySettings } from '../../../shared/engine/desktop-settings/settings.ts'
import type { Connection } from '../../../shared/engine/sync/desktop/port.ts'

const connected = (useNamespace: string) => ({ org: 'acme', useNamespace }) as Connection

test('calls that name none go where the setting says, else where the connection was made for, else home', async () => {
  const settings = memorySettings()
  expect(defaultPlace(settings, null)).toBeNull()
  expect(defaultPlace(settings, connected(''))).toBeNull()
  expect(defaultPlace(settings, connected('chat'))).toEqual({ org: 'acme', namespace: 'chat' })
  await settings.set({ default_namespace: 'dev/garden' })
  expect(defaultPlace(settings, connected('chat'))).toEqual({ org: 'dev', namespace: 'garden' })
  await settings.set({ default_namespace: 'acme/ops' })
  expect(defaultPlace(settings, connected('chat'))).toEqual({ org: 'acme', namespace: 'ops' })
})

test('the place of a team that was left counts for nothing', async () => {
  const settings = memorySettings()
  await settings.set({ default_namespace: 'acme/ops' })
  expect(defaultPlace(settings, null)).toBeNull()
})

test('an org that this desktop has nothing of is refused, with those that it has', () => {
  expect(() => requireKnownOrg('acme/ops', null)).toThrow('Name one of dev.')
  expect(() => requireKnownOrg('other/ops', connected(''))).toThrow('Name one of dev or acme.')
  for (const place of ['acme/ops', 'dev/x', null, undefined]) expect(() => requireKnownOrg(place, connected(''))).not.toThrow()
})
