import { z } from 'zod'
import { DateTime, Name, Str } from './common.ts'

/** Fields that the operations on erasures share. */

export const ErasureScopeType = z.enum(['user_id', 'namespace', 'namespace_list'])
export const ErasureStatus = z.enum(['in_progress', 'completed', 'failed'])
export type ErasureStatus = z.infer<typeof ErasureStatus>

/** Minutes before attempts 2, 3, 4 and 5. */
const WAITS_MINUTES = [1, 5, 15, 60]

/** Minutes until an erasure that failed is tried again by itself; later waits are as long as the last. @param attempts made so far */
export const erasureWaitMinutes = (attempts: number): number =>
  WAITS_MINUTES[Math.min(Math.max(attempts, 1), WAITS_MINUTES.length) - 1] ?? 60

const Counts = z.record(z.string(), z.int())

/** What a call names as its scope. */
export const erasureScope = {
  org: Name.optional().describe('Organisation; filled from the token or the install.'),
  scope_type: ErasureScopeType.describe('user_id: one user in all namespaces; namespace: one; namespace_list: several.'),
  scope_value: Str.describe('The user id, the namespace, or a JSON array of 1 to 500 names, or {"namespaces": […], "purge": bool}.'),
}
export const requester = Str.min(1).max(320).describe('E-mail or service account that asks.')

export const ErasureStepResult = z.object({
  step: z.string(),
  rows_affected: z.int().describe('Rows deleted or stamped by this attempt.'),
  note: z.string().describe('"", or why it was skipped.'),
  stores: Counts.describe('Those rows by census key, those with none left out.'),
})
export type ErasureStepResult = z.infer<typeof ErasureStepResult>

/** What a census said last. */
export const verified = {
  residue_count: z.int(),
  residue: Counts.describe('What is left, by census key; only what is not zero.'),
  verified_at: DateTime.nullable().describe('When the census ran; null without one that counted every store.'),
  census: Counts.nullable().describe('Every count, zeros included; null without a census that counted every store.'),
}

/** Proof of a device that it applied the fences of one erasure. */
export const Receipt = z.object({
  erasure_id: Str.min(1).max(200),
  seq: z.int().min(0),
  device_id: Str.min(1).max(200),
  purge: z.boolean(),
  rows_affected: z.int().min(0),
  queue_dropped: z.int().min(0).describe('Changes that waited to be pushed.'),
  census: z.record(Str.max(128), z.int().min(0)).meta({ maxProperties: 500 }),
  applied_at: DateTime.describe('By the clock of the device.'),
  app_version: Str.max(200),
  signature: Str.max(200).describe('Ed25519 over the other fields, by the key registered when pairing; base64url.'),
})
export type Receipt = z.infer<typeof Receipt>

export const PendingDevice = z.object({
  device_id: z.string(),
  name: z.string(),
  last_seen_at: DateTime.nullable(),
  revoked: z.boolean(),
})
