import { z } from 'zod'
import { declareOp } from '../../declare.ts'
import { Receipt } from '../../erasure.ts'

export const erasureReceipt = declareOp({
  name: 'erasure.receipt',
  group: 'admin',
  kind: 'write',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'none',
  rate: 'bulk',
  sync: 'server',
  host: 'server',
  identity: 'none',
  summary: 'A device proves that it applied the fences of one erasure.',
  input: z.object({ receipt: Receipt }),
  output: z.object({
    accepted: z.boolean(),
    reason: z.enum(['', 'unknown_erasure', 'not_this_device', 'bad_signature', 'purge_mismatch', 'incomplete_census', 'residue']),
  }),
  errors: [],
})
