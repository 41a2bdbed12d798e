import { z } from 'zod'
import { DateTimeIn, MemoryType, Sensitivity, SourceClass, Status, Str, Tag, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { ListRow } from '../../row.ts'

export const ListSort = z.enum(['updated', 'created', 'valid', 'key', 'confidence', 'recalled', 'expires', 'reinforced'])

export const memoryList = declareOp({
  name: 'memory.list',
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
  summary: 'Browses rows, with filters and order.',
  input: z.object({
    ...id5,
    status: z.array(Status).max(8).default(['active', 'conflicted']),
    memory_type: z.array(MemoryType).max(4).optional(),
    tags_any: z.array(Tag).max(64).optional(),
    tags_all: z.array(Tag).max(64).optional(),
    category: Str.max(128).default(''),
    entity: Str.max(256).default(''),
    key_prefix: Str.max(512).default(''),
    text: Str.max(200).default('').describe('Every word begins a word of key, tags or excerpt.'),
    sensitivity: z.array(Sensitivity).max(4).optional(),
    source_class: z.array(SourceClass).max(6).optional(),
    actor: Str.max(300).default(''),
    run_id: Str.max(200).default(''),
    file: Str.max(1024).default(''),
    pinned: z.boolean().nullable().optional(),
    locked: z.boolean().nullable().optional(),
    verified: z.boolean().nullable().optional(),
    provisional: z.boolean().nullable().optional(),
    created_after: DateTimeIn.nullable().optional(),
    created_before: DateTimeIn.nullable().optional(),
    updated_after: DateTimeIn.nullable().optional(),
    updated_before: DateTimeIn.nullable().optional(),
    expires_before: DateTimeIn.nullable().optional(),
    include_expired: z.boolean().default(false),
    values: z.boolean().default(false),
    sort: ListSort.default('updated'),
    order: z.enum(['asc', 'desc']).optional().describe('desc when left out, asc for key.'),
    with_total: z.boolean().default(false),
    ...page(50, 500),
  }),
  output: z.object({ rows: z.array(ListRow), ...nextCursor, total: z.int().nullable() }),
  errors: ['INVALID_CURSOR'],
})
