import { z } from 'zod'
import { DateTime, Name } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { ErasureStatus } from '../../erasure.ts'

export const ErasureListRow = z.object({
  erasure_id: z.string(),
  scope_type: z.string(),
  scope_value: z.string(),
  requester: z.string(),
  urgency: z.string(),
  purge: z.boolean(),
  status: ErasureStatus,
  current_step: z.int(),
  attempts: z.int(),
  requested_at: DateTime,
  completed_at: DateTime.nullable(),
  failure_reason: z.string().nullable(),
  residue_count: z.int(),
  devices_pending: z.int().nullable().describe('Null to anyone but an org admin.'),
})

export const erasureList = declareOp({
  name: 'erasure.list',
  group: 'admin',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'read',
  sync: 'server',
  host: 'engine',
  identity: 'org',
  platformNamesOrg: true,
  summary: 'The erasures that the caller may see, newest first: for an org admin all of the org, for others those of their namespaces.',
  input: z.object({
    org: Name.optional().describe('Organisation; filled from the token or the install.'),
    limit: z.int().min(1).default(50).describe('Above 500 it is read as 500.'),
    status: ErasureStatus.nullable().default(null).describe('Only those of this status.'),
  }),
  output: z.object({ rows: z.array(ErasureListRow) }),
  errors: [],
})
