import { z } from 'zod'
import { deviceAnswer, deviceFields } from '../../access.ts'
import { Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const pairRedeem = declareOp({
  name: 'pair.redeem',
  group: 'admin',
  kind: 'write',
  role: 'none',
  idempotent: false,
  audited: true,
  toolset: 'none',
  rate: 'admin',
  perAddress: 10,
  sync: 'server',
  host: 'server',
  identity: 'none',
  onRepeat: 'again',
  summary:
    'Pairs a device by a code, which stands in for a token. With the same device_key the code may be sent again after a lost answer.',
  input: z.object({
    code: Str.min(1).max(64).describe('Case and hyphens do not matter.'),
    ...deviceFields,
    proof: deviceFields.proof.describe('Ed25519 signature, in base64url, of `loom-pair-v1`, a newline and the code as XXXX-XXXX-XXXX.'),
  }),
  output: deviceAnswer,
  errors: ['NOT_FOUND'],
})
