import { z } from 'zod'
import { MemoryKey, Str, U64, U64In, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryRedact = declareOp({
  name: 'memory.redact',
  group: 'memory',
  kind: 'write',
  role: 'admin',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'admin',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Scrubs the content of one past version, for a secret that should not stay in the history.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.optional().describe('This or memory_id.'),
    memory_id: Str.min(1).max(64).optional().describe('This or memory_key.'),
    version: U64In,
    reason: Str.min(1).max(500),
  }),
  output: z.object({
    redacted: z.boolean(),
    reason: z.enum(['', 'not_found', 'head']),
    memory_id: z.string(),
    version: U64,
    version_text: z.string(),
    profiles: z.array(
      z.object({ memory_key: z.string(), memory_id: z.string(), versions: z.int(), version: U64, version_text: z.string() }),
    ),
  }),
  errors: ['AMBIGUOUS_KEY', 'LOCKED'],
  needsOneOf: ['memory_key', 'memory_id'],
})
