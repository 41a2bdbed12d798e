import { safeStorage } from 'electron'
import type { KeyStore } from '../shared/engine/sync/desktop/secrets.ts'

/**
 * The system's key store: Keychain, DPAPI, or the desktop's keyring on Linux. Where Linux has none Electron would seal with
 * a password that every copy of it knows, which is worth nothing: there the file alone, which only its owner reads, holds.
 */
export const systemKeyStore: KeyStore = {
  seal: async (text) => (isThere() ? safeStorage.encryptString(text).toString('base64') : null),
  unseal: async (sealed) => (isThere() ? safeStorage.decryptString(Buffer.from(sealed, 'base64')) : null),
}

function isThere(): boolean {
  if (!safeStorage.isEncryptionAvailable()) return false
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'
}
