import { z } from 'zod'
import { MemoryKey, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryMove = declareOp({
  name: 'memory.move',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: false,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Renames a key; the old one leads to the new.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.describe('The key as it is.'),
    to_key: MemoryKey.describe('The key as it is to be.'),
    keep_redirect: z.boolean().default(true),
    if_match_sha256: Str.max(64).default(''),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    moved: z.boolean(),
    reason: z.enum(['', 'not_found', 'expired']),
    memory_key: z.string(),
    to_key: z.string(),
    memory_id: z.string(),
    version: U64,
    version_text: z.string(),
    content_sha256: z.string(),
    source_memory_id: z.string(),
    source_version: U64,
    redirect: z.boolean(),
    dry_run: z.boolean(),
  }),
  errors: ['AMBIGUOUS_KEY', 'KEY_HOLDS_FACT', 'PRECONDITION_FAILED', 'LOCKED'],
})
