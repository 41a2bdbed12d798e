import { z } from 'zod'
import { DateTime, Name, Str, U64 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const SnapshotCounts = z.object({ by_status: z.record(z.string(), z.int()) })

export const namespaceSnapshot = declareOp({
  name: 'namespace.snapshot',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: false,
  audited: true,
  toolset: 'named',
  rate: 'admin',
  sync: 'server',
  host: 'engine',
  identity: 'namespace',
  summary: 'A named point in time to come back to. It keeps no values: history holds them.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    name: Str.min(1).max(128).optional().describe('The time when left out.'),
    note: Str.max(500).default(''),
  }),
  output: z.object({
    snapshot_id: z.string(),
    name: z.string(),
    at: DateTime,
    version: U64,
    version_text: z.string(),
    counts: SnapshotCounts,
  }),
  errors: ['ALREADY_EXISTS'],
})
