import { z } from 'zod'
import { ConflictVerdict, DateTime, MemoryKey, Peer, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryRestore = declareOp({
  name: 'memory.restore',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Revives a deleted key within 14 days, or undoes an automatic retirement.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.optional().describe('This or memory_id.'),
    memory_id: Str.min(1).max(64).optional().describe('This or memory_key.'),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    restored: z.boolean(),
    reason: z.enum(['', 'not_found', 'too_old', 'live']),
    from: z.enum(['', 'tombstoned', 'superseded', 'rejected']),
    memory_id: z.string(),
    version: U64,
    version_text: z.string(),
    status: z.string(),
    conflict_verdict: ConflictVerdict,
    peers: z.array(Peer).max(5),
    expires_at: DateTime.nullable(),
    dry_run: z.boolean(),
  }),
  errors: ['AMBIGUOUS_KEY', 'BLACKLISTED'],
  needsOneOf: ['memory_key', 'memory_id'],
})
