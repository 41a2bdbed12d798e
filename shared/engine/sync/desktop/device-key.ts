import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { pairProofText } from '../../access/secrets.ts'

/** A new Ed25519 private key, PKCS8 in base64url. */
export function newDeviceKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')
}

/** What a device shows of its key: the public half, and a signature over the code or the token that it holds. */
export function proofOf(deviceKey: string, credential: string): { readonly device_key: string; readonly proof: string } {
  const key = createPrivateKey({ key: Buffer.from(deviceKey, 'base64url'), format: 'der', type: 'pkcs8' })
  return {
    device_key: String(createPublicKey(key).export({ format: 'jwk' })['x']),
    proof: sign(null, Buffer.from(pairProofText(credential)), key).toString('base64url'),
  }
}
