import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import type { Receipt } from '../../contract/erasure.ts'
import { compactJson } from '../../domain/claim/stored-form.ts'

/** What a device signs: everything but the signature, members in order and without white space. */
function receiptText({ signature: _signature, ...told }: Receipt): string {
  return `loom-erasure-receipt-v1\n${compactJson(told)}`
}

/** @param deviceKey Ed25519 private key, PKCS8 in base64url */
export function signReceipt(told: Omit<Receipt, 'signature'>, deviceKey: string): Receipt {
  const key = createPrivateKey({ key: Buffer.from(deviceKey, 'base64url'), format: 'der', type: 'pkcs8' })
  return { ...told, signature: sign(null, Buffer.from(receiptText({ ...told, signature: '' })), key).toString('base64url') }
}

/** @param x Ed25519 public key, 32 bytes in base64url */
export function isSigned(receipt: Receipt, x: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return verify(null, Buffer.from(receiptText(receipt)), key, Buffer.from(receipt.signature, 'base64url'))
  } catch {
    return false
  }
}
