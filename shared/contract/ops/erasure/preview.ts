import { z } from 'zod'
import { DateTime } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { erasureScope } from '../../erasure.ts'

export const erasurePreview = declareOp({
  name: 'erasure.preview',
  group: 'admin',
  kind: 'read',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'bulk',
  sync: 'server',
  host: 'engine',
  identity: 'org',
  platformNamesOrg: true,
  summary: 'Counts what an erasure would take, store by store, and changes nothing.',
  input: z.object({ ...erasureScope, purge: z.boolean().default(false) }),
  output: z.object({
    counts: z.record(z.string(), z.int()).describe('By census key, zeros included.'),
    total: z.int(),
    devices: z
      .array(z.object({ device_id: z.string(), name: z.string(), last_seen_at: DateTime.nullable() }))
      .describe('Devices that hold rows of the scope, and will be asked to erase them.'),
    backups: z.int().describe('Managed backups that a purge deletes.'),
    purge: z.boolean(),
  }),
  errors: [],
})
