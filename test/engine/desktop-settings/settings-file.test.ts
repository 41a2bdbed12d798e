import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSettings } from '../../../main/open-settings.ts'
import { toConfig } from '../../../main/config.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'loom-settings-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const file = () => join(home, 'settings.json')
const open = (env: Record<string, string> = {}) => openSettings(toConfig({ LOOM_HOME: home, ...env }).desktop)

test('what is set is there at the next start, in a file that only its owner reads', async () => {
  const settings = await open()
  await settings.set({ 'backup.keep': 3, 'ui.theme': 'dark' })
  await settings.set({ 'ui.theme': null })
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({ 'backup.keep': 3 })
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect(await readdir(home)).toEqual(['settings.json'])
  expect((await open()).get('backup.keep')).toBe(3)
})

test('a variable of the environment wins, is told as such, and cannot be changed from here', async () => {
  await (await open()).set({ 'server.port': 8000, 'embedding.model': 'owner/model' })
  const settings = await open({ LOOM_PORT: '9000', LOOM_EMBEDDING_MODEL: '/a/model' })
  expect(settings.view(['server.port', 'embedding.model'])).toMatchObject([
    { value: 9000, source: 'env' },
    { value: '/a/model', source: 'env' },
  ])
  await expect(settings.set({ 'server.port': 8001 })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('LOOM_PORT') as string,
    fields: { field: 'values.server.port' },
  })
  expect((await open()).get('server.port')).toBe(8000)
})

test.each([
  ['not JSON', '{"backup.keep": 3'],
  ['no object', '[1]'],
  ['a value of a wrong type', '{"backup.keep": "3"}'],
  ['a value out of range', '{"server.port": 80}'],
])('a start with a settings.json that holds %s stops, and says what is wrong', async (_, text) => {
  await writeFile(file(), text)
  await expect(open()).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(/settings\.json|backup\.keep|server\.port/) as string,
  })
  expect(await readFile(file(), 'utf8')).toBe(text)
})

test('what another Loom set and this one does not know stays', async () => {
  await writeFile(file(), '{"later.setting": [1, 2], "backup.keep": 3}')
  await (await open()).set({ 'backup.keep': 4 })
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({ 'later.setting': [1, 2], 'backup.keep': 4 })
})

test('many writes at once end with all of them, and with no file half written', async () => {
  const settings = await open()
  await Promise.all([settings.set({ 'backup.keep': 3 }), settings.set({ 'ui.theme': 'dark' }), settings.set({ 'backup.auto_hours': 1 })])
  expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ 'backup.auto_hours': 1 })
  expect(await readdir(home)).toEqual(['settings.json'])
})

test('a file that cannot be written leaves what was set before', async () => {
  const settings = await open()
  await settings.set({ 'backup.keep': 3 })
  await rm(home, { recursive: true })
  await writeFile(home, '')
  await expect(settings.set({ 'backup.keep': 4 })).rejects.toThrow()
  expect(settings.get('backup.keep')).toBe(3)
  await chmod(home, 0o600)
})
