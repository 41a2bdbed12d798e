import { z } from 'zod'
import { DateTime, DateTimeIn, MemoryKey, OnExpire, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryTouch = declareOp({
  name: 'memory.touch',
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
  summary: 'Changes when a memory expires, and nothing else.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.optional().describe('This or memory_keys.'),
    memory_keys: z.array(MemoryKey).min(1).max(1000).optional().describe('This or memory_key.'),
    ttl_seconds: z.int().min(1).max(3_153_600_000).optional(),
    until: DateTimeIn.optional().describe('Ahead; instead of ttl_seconds.'),
    clear_expiry: z.boolean().default(false).describe('No expiry any more.'),
    on_expire: OnExpire.optional().describe('Kept when left out.'),
    expire_reason: Str.max(500).default('').describe('Kept when left out.'),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    touched: z.int(),
    rows: z.array(
      z.object({
        memory_key: z.string(),
        memory_id: z.string(),
        touched: z.boolean(),
        reason: z.enum(['', 'not_found', 'expired', 'ambiguous', 'locked']),
        expires_at: DateTime.nullable(),
      }),
    ),
    dry_run: z.boolean(),
  }),
  errors: ['AMBIGUOUS_KEY', 'LOCKED'],
  needsOneOf: ['memory_key', 'memory_keys'],
})
