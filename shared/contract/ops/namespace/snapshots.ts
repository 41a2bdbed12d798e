import { z } from 'zod'
import { DateTime, Name, U64, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { SnapshotCounts } from './snapshot.ts'

export const namespaceSnapshots = declareOp({
  name: 'namespace.snapshots',
  group: 'admin',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'The named points in time of a namespace, newest first.',
  input: z.object({ org: Name.optional(), namespace: Name.optional(), ...page(50, 200) }),
  output: z.object({
    snapshots: z.array(
      z.object({
        snapshot_id: z.string(),
        name: z.string(),
        note: z.string(),
        at: DateTime,
        version: U64,
        version_text: z.string(),
        counts: SnapshotCounts,
        actor: z.string(),
        automatic: z.boolean(),
      }),
    ),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
