import { z } from 'zod'
import { Grants } from '../../access.ts'
import { DateTime, Name, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const deviceList = declareOp({
  name: 'device.list',
  group: 'admin',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'read',
  sync: 'none',
  host: 'server',
  identity: 'org',
  platformNamesOrg: true,
  summary: 'The devices of the org, newest first; for an admin those whose grants all lie in its namespaces, for others their own.',
  input: z.object({ org: Name.optional(), include_revoked: z.boolean().default(false), ...page(100, 500) }),
  output: z.object({
    devices: z.array(
      z.object({
        device_id: z.string(),
        name: z.string(),
        subject: z.string(),
        grants: Grants,
        platform: z.string(),
        app_version: z.string(),
        judge_version: z.string(),
        embedding_model: z.string(),
        created_at: DateTime,
        last_seen_at: DateTime.nullable(),
        last_push_at: DateTime.nullable(),
        erasure_seq: z.int().describe('Highest fence that the device told of having applied.'),
        erasures_pending: z.int(),
        revoked_at: DateTime.nullable(),
      }),
    ),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
