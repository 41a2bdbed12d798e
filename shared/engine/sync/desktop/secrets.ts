import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../../db/whole-file.ts'
import type { SecretStore, SyncSecrets } from './port.ts'

const FILE = 'sync-secrets.json'

const isSecrets = (value: unknown): value is SyncSecrets =>
  typeof value === 'object' &&
  value !== null &&
  ['deviceKey', 'serverUrl', 'serverId', 'token'].every((name) => typeof (value as Record<string, unknown>)[name] === 'string')

/** The key store of the system, as far as it seals texts for this person's account. */
export interface KeyStore {
  /** Base64 that `unseal` reads again; null where the system has no key store. */
  seal(text: string): Promise<string | null>
  /** Null: it was not sealed here, or the key store is not to be had. */
  unseal(sealed: string): Promise<string | null>
}

/**
 * Secrets in a file of the data folder that only its owner reads; written aside and renamed. With a key store what is
 * in it is sealed, so that a copy of the file opens nothing.
 * @throws Error from `read` when the file is sealed and this process has not the key store that sealed it
 */
export function fileSecrets(home: string, keyStore: KeyStore | null = null): SecretStore {
  const path = join(home, FILE)
  return {
    async read() {
      try {
        const value: unknown = JSON.parse(await readFile(path, 'utf8'))
        if (!isSealed(value)) return isSecrets(value) ? value : null
        const text = (await keyStore?.unseal(value.sealed)) ?? null
        if (text === null)
          throw new Error(`${FILE} is sealed by the system's key store, which this process cannot open: start Loom's window.`)
        const opened: unknown = JSON.parse(text)
        return isSecrets(opened) ? opened : null
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return null
        throw error
      }
    },
    async write(secrets) {
      const text = JSON.stringify(secrets)
      const sealed = (await keyStore?.seal(text)) ?? null
      await writeWhole(path, sealed === null ? text : JSON.stringify({ sealed }))
    },
    remove: () => rm(path, { force: true }),
  }
}

const isSealed = (value: unknown): value is { readonly sealed: string } =>
  typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)['sealed'] === 'string'

/** Secrets that end with the process, for an engine without a data folder. */
export function memorySecrets(): SecretStore {
  let kept: SyncSecrets | null = null
  return {
    read: async () => kept,
    write: async (secrets) => void (kept = secrets),
    remove: async () => void (kept = null),
  }
}
