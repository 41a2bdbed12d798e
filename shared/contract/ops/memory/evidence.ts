import { z } from 'zod'
import { DateTime, MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const EvidenceItem = z.object({
  kind: z.enum(['message', 'document', 'run', 'memory', 'import', 'resource', 'attestation']),
  ref: z.string(),
  excerpt: z.string(),
  at: DateTime.nullable(),
  actor: z.string(),
})
export type EvidenceItem = z.infer<typeof EvidenceItem>

export const memoryEvidence = declareOp({
  name: 'memory.evidence',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'exact',
  summary: 'Where memories come from, for a short list of them.',
  input: z.object({
    ...id5,
    memory_keys: z.array(MemoryKey).min(1).max(50).optional().describe('These or memory_ids.'),
    memory_ids: z.array(Str.min(1).max(64)).min(1).max(50).optional().describe('These or memory_keys.'),
    limit: z.int().min(1).max(50).default(10).describe('Items of each memory.'),
  }),
  output: z.object({
    rows: z.array(
      z.object({
        memory_key: z.string(),
        memory_id: z.string(),
        found: z.boolean(),
        evidence_count: z.int(),
        items: z.array(EvidenceItem),
      }),
    ),
  }),
  errors: [],
  needsOneOf: ['memory_keys', 'memory_ids'],
})
