import { z } from 'zod'
import { DateTime } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { erasureScope, ErasureStatus, ErasureStepResult, requester, verified } from '../../erasure.ts'

export const erasureRequest = declareOp({
  name: 'erasure.request',
  group: 'admin',
  kind: 'write',
  role: 'writer',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'admin',
  sync: 'server',
  host: 'engine',
  identity: 'org',
  platformNamesOrg: true,
  summary: 'Erases the rows about a user, a namespace or several; the audit trail is kept.',
  advice:
    'Without purge the rows are stamped and served to nobody; with it their bytes go. A single namespace is never purged: name it in a namespace_list. Needs org_admin, or for one namespace admin on it.',
  input: z.object({
    ...erasureScope,
    requester,
    urgency: z.enum(['normal', 'urgent']).default('normal').describe('Recorded; it changes nothing in how the erasure runs.'),
    purge: z.boolean().default(false).describe('Delete the rows and their bytes, in place of stamping them.'),
    external: z.boolean().default(true).describe('False leaves the external erasers out.'),
  }),
  output: z.object({
    erasure_id: z.string(),
    status: ErasureStatus,
    steps: z.array(ErasureStepResult).describe('In the order in which they run.'),
    requested_at: DateTime,
    completed_at: DateTime.nullable(),
    ...verified,
    purge: z.boolean().describe('What the saga does.'),
    failure_reason: z.string().describe('"" unless it failed.'),
    steps_completed: z.array(z.string()).describe('Sorted.'),
  }),
  errors: ['IN_PROGRESS'],
  example: { input: { org: 'acme', scope_type: 'user_id', scope_value: 'u-42', requester: 'dpo@acme.example', purge: true } },
})
