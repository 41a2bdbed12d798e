import { generateKeyPairSync, sign } from 'node:crypto'

/** An Ed25519 key as a desktop makes it, and the proof that it holds it. */
export interface DeviceKey {
  readonly device_key: string
  /** @param credential the pairing code, or the id of the calling token */
  prove(credential: string): string
}

export function newDeviceKey(): DeviceKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    device_key: String(publicKey.export({ format: 'jwk' })['x']),
    prove: (credential) => sign(null, Buffer.from(`loom-pair-v1\n${credential}`), privateKey).toString('base64url'),
  }
}
