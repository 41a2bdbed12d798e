import { randomBytes } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SecretStore, SyncSecrets } from './port.ts'

const FILE = 'sync-secrets.json'

const isSecrets = (value: unknown): value is SyncSecrets =>
  typeof value === 'object' &&
  value !== null &&
  ['deviceKey', 'serverUrl', 'serverId', 'token'].every((name) => typeof (value as Record<string, unknown>)[name] === 'string')

/** Secrets in a file of the data folder that only its owner reads; written aside and renamed. */
export function fileSecrets(home: string): SecretStore {
  const path = join(home, FILE)
  return {
    async read() {
      try {
        const value: unknown = JSON.parse(await readFile(path, 'utf8'))
        return isSecrets(value) ? value : null
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null
        throw error
      }
    },
    async write(secrets) {
      const aside = `${path}.${randomBytes(4).toString('hex')}`
      const file = await open(aside, 'wx', 0o600)
      try {
        await file.writeFile(JSON.stringify(secrets))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(aside, path)
    },
    remove: () => rm(path, { force: true }),
  }
}

/** Secrets that end with the process, for an engine without a data folder. */
export function memorySecrets(): SecretStore {
  let kept: SyncSecrets | null = null
  return {
    read: async () => kept,
    write: async (secrets) => void (kept = secrets),
    remove: async () => void (kept = null),
  }
}
