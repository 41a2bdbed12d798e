import { z } from 'zod'
import { DateTime, Entity, MemoryKey, Status, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

/** How a row is related, the strongest first. */
export const Via = z.enum(['link', 'triple', 'entity', 'meaning', 'key'])
export type Via = z.infer<typeof Via>

export const memoryRelated = declareOp({
  name: 'memory.related',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'search',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Rows and triples around a memory or an entity; the fact graph’s read.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.optional().describe('This, memory_id or entity.'),
    memory_id: Str.min(1).max(64).optional().describe('This, memory_key or entity.'),
    entity: Entity.optional().describe('This, memory_key or memory_id.'),
    depth: z.int().min(1).max(2).default(1),
    limit: z.int().min(1).max(100).default(20),
  }),
  output: z.object({
    found: z.boolean(),
    rows: z.array(
      z.object({
        memory_key: z.string(),
        memory_id: z.string(),
        excerpt: z.string(),
        status: Status,
        via: Via,
        why: z.array(z.string()),
        similarity: z.number(),
        distance: z.int(),
      }),
    ),
    triples: z.array(
      z.object({
        subject: z.string(),
        predicate: z.string(),
        object: z.string(),
        memory_key: z.string(),
        memory_id: z.string(),
        confidence: z.number(),
        valid_at: DateTime.nullable(),
      }),
    ),
  }),
  errors: ['AMBIGUOUS_KEY'],
  needsOneOf: ['memory_key', 'memory_id', 'entity'],
})
