import { z } from 'zod'
import { Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { InboxChoice } from './inbox.ts'

export const syncInboxDecide = declareOp({
  name: 'sync.inbox_decide',
  group: 'admin',
  kind: 'write',
  role: 'platform_admin',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'local',
  host: 'desktop',
  identity: 'none',
  summary: "Closes an item of the sync inbox: accept the server's row, write mine again, or retry a quarantined change.",
  input: z.object({
    item_id: Str.min(1).max(200).optional().describe('This or all_of.'),
    all_of: z.enum(['lost_on_server']).optional().describe('Every open item of that change.'),
    choice: InboxChoice,
  }),
  output: z.object({ item_id: z.string(), closed: z.boolean(), result: z.record(z.string(), z.unknown()).nullable() }),
  errors: [
    'NOT_FOUND',
    'PRECONDITION_FAILED',
    'PINNED_CONFLICT',
    'CHAR_LIMIT_EXCEEDED',
    'BLACKLISTED',
    'LOCKED',
    'EXPIRED',
    'AMBIGUOUS_KEY',
  ],
  needsOneOf: ['item_id', 'all_of'],
})
