import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Outcome } from './rollback.ts'

export const namespaceRestore = declareOp({
  name: 'namespace.restore',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'bulk',
  sync: 'server',
  host: 'engine',
  identity: 'namespace',
  summary: 'Brings every memory row back to a snapshot, quietly. Settings, records and documents stay.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    snapshot_id: Str.min(1).max(64),
    reason: Str.min(1).max(500),
    dry_run: z.boolean().default(true),
  }),
  output: Outcome,
  errors: ['NOT_FOUND'],
})
