import { z } from 'zod'
import { DateTime, MemoryType, SourceClass, Status, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryForFile = declareOp({
  name: 'memory.for_file',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Facts about a file, to be read before editing it.',
  input: z.object({
    ...id5,
    path: Str.min(1).max(1024).optional().describe('This or paths.'),
    paths: z.array(Str.min(1).max(1024)).min(1).max(32).optional().describe('These or path.'),
    limit: z.int().min(1).max(100).default(20),
  }),
  output: z.object({
    rows: z.array(
      z.object({
        path: z.string(),
        match: z.enum(['exact', 'suffix', 'directory']),
        memory_key: z.string(),
        memory_id: z.string(),
        value_text: z.string(),
        memory_type: MemoryType,
        status: Status,
        tags: z.array(z.string()),
        confidence: z.number(),
        pinned: z.boolean(),
        files: z.array(z.string()),
        valid_at: DateTime.nullable(),
        updated_at: DateTime,
        source_class: SourceClass,
        verified: z.boolean(),
        conflicts: z.array(z.string()),
        version: U64,
        version_text: z.string(),
      }),
    ),
  }),
  errors: [],
  needsOneOf: ['path', 'paths'],
})
