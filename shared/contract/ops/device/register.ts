import { z } from 'zod'
import { deviceAnswer, deviceFields } from '../../access.ts'
import { declareOp } from '../../declare.ts'

export const deviceRegister = declareOp({
  name: 'device.register',
  group: 'admin',
  kind: 'write',
  role: 'viewer',
  idempotent: true,
  audited: true,
  toolset: 'none',
  rate: 'admin',
  sync: 'server',
  host: 'server',
  identity: 'none',
  onRepeat: 'again',
  summary:
    'Makes a device with the subject, grants and bounds of the calling token; with a device token, refreshes the fields of its device.',
  input: z.object({
    ...deviceFields,
    proof: deviceFields.proof.describe(
      'Ed25519 signature, in base64url, of `loom-pair-v1`, a newline and the token_id of the calling token.',
    ),
  }),
  output: deviceAnswer,
  errors: ['ALREADY_EXISTS'],
})
