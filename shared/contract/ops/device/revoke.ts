import { z } from 'zod'
import { Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const deviceRevoke = declareOp({
  name: 'device.revoke',
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
  summary: 'Ends a device and its token. With wipe the desktop deletes what it holds of the org, else it stops syncing and keeps it.',
  input: z.object({
    device_id: Str.max(64),
    wipe: z.boolean().default(false).describe('The desktop deletes its rows, queue and inbox of the org.'),
    reason: Str.max(1000).default(''),
  }),
  output: z.object({ device_id: z.string(), revoked: z.boolean().describe('False: it was revoked already.') }),
  errors: ['NOT_FOUND'],
})
