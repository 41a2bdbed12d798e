import { z } from 'zod'
import { DateTime, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { ErasureStatus, PendingDevice, Receipt, verified } from '../../erasure.ts'

export const erasureStatus = declareOp({
  name: 'erasure.status',
  group: 'admin',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'read',
  sync: 'server',
  host: 'engine',
  identity: 'none',
  summary: 'How an erasure stands: steps, census, and for an org admin the devices that have not confirmed it.',
  input: z.object({ erasure_id: Str.max(200).describe('As erasure.request answered it.') }),
  output: z.object({
    found: z.boolean().describe('False too for one that the caller may not read.'),
    erasure_id: z.string(),
    org: z.string().nullable(),
    scope_type: z.enum(['user_id', 'namespace', 'namespace_list', 'collection']).nullable(),
    scope_value: z.string().nullable(),
    requester: z.string().nullable(),
    status: ErasureStatus.nullable(),
    current_step: z.int().nullable().describe('Steps finished; 99 once completed.'),
    requested_at: DateTime.nullable(),
    completed_at: DateTime.nullable(),
    failure_reason: z.string().nullable(),
    ...verified,
    purge: z.boolean(),
    devices_pending: z.array(PendingDevice).describe('Devices that covered the scope and have returned no clean receipt.'),
    receipts: z.array(Receipt.extend({ received_at: DateTime })),
  }),
  errors: [],
})
