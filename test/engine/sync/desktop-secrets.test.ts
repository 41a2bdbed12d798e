import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileSecrets, type KeyStore } from '../../../shared/engine/sync/desktop/secrets.ts'

const SECRETS = { deviceKey: 'key-material', serverUrl: 'https://loom.example', serverId: 'srv_1', token: 'loom_token' }
/** Seals by turning the text round: enough to see what lies on disk. */
const keyStore = (name: string): KeyStore => ({
  seal: async (text) => Buffer.from(`${name}:${[...text].toReversed().join('')}`).toString('base64'),
  unseal: async (sealed) => {
    const [by, ...text] = Buffer.from(sealed, 'base64').toString().split(':')
    return by === name ? [...text.join(':')].toReversed().join('') : null
  },
})

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'loom-secrets-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

test('with a key store nothing of the secrets can be read in the file, and they come back', async () => {
  const secrets = fileSecrets(home, keyStore('mine'))
  await secrets.write(SECRETS)
  const [name = ''] = await readdir(home)
  const text = await readFile(join(home, name), 'utf8')
  for (const part of Object.values(SECRETS)) expect(text).not.toContain(part)
  expect((await stat(join(home, name))).mode & 0o777).toBe(0o600)
  expect(await secrets.read()).toEqual(SECRETS)
})

test('without one they lie in a file that only its owner reads', async () => {
  const plain: KeyStore = { seal: async () => null, unseal: async () => null }
  await fileSecrets(home, plain).write(SECRETS)
  const [name = ''] = await readdir(home)
  expect((await stat(join(home, name))).mode & 0o777).toBe(0o600)
  expect(await fileSecrets(home).read()).toEqual(SECRETS)
  // A key store that comes later reads them as they are, and seals them when they are next written.
  const later = fileSecrets(home, keyStore('mine'))
  expect(await later.read()).toEqual(SECRETS)
  await later.write(SECRETS)
  expect(await readFile(join(home, name), 'utf8')).toMatch(/^\{"sealed":/)
})

test('a file that another key store sealed opens nothing, and says what to do', async () => {
  await fileSecrets(home, keyStore('mine')).write(SECRETS)
  await expect(fileSecrets(home).read()).rejects.toThrow('start Loom’s window'.replace('’', "'"))
  await expect(fileSecrets(home, keyStore('other')).read()).rejects.toThrow("system's key store")
})
