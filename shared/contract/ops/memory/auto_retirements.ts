import { z } from 'zod'
import { DateTime, DateTimeIn, MemoryKey, U64, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { NextCall } from '../../pair.ts'

export const RetirementCause = z.enum(['newest_wins', 'refines', 'resolver', 'sync'])

const versioned = { memory_key: z.string(), memory_id: z.string(), version: U64, version_text: z.string() }

export const memoryAutoRetirements = declareOp({
  name: 'memory.auto_retirements',
  group: 'review',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Rows that were retired without anyone asking, newest first, each with the call that brings it back.',
  input: z.object({
    ...id5,
    since: DateTimeIn.nullable().optional(),
    memory_key: MemoryKey.optional().describe('Key of the retired row.'),
    cause: RetirementCause.optional(),
    include_restored: z.boolean().default(false),
    ...page(100, 500),
  }),
  output: z.object({
    rows: z.array(
      z.object({
        ...versioned,
        namespace: z.string(),
        agent: z.string(),
        user_id: z.string(),
        session_id: z.string(),
        retired_at: DateTime,
        cause: RetirementCause,
        by: z.object({ ...versioned, actor: z.string() }),
        reason: z.string(),
        confidence: z.number(),
        excerpt: z.string().max(200),
        restored_at: DateTime.nullable(),
        undo: NextCall,
      }),
    ),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
