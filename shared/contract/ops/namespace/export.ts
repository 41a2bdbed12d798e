import { z } from 'zod'
import { DateTime, Name, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const EXPORT_SECTIONS = [
  'memory',
  'history',
  'links',
  'settings',
  'schemas',
  'records',
  'knowledge',
  'conversations',
  'runs',
  'working_memory',
] as const
export type ExportSection = (typeof EXPORT_SECTIONS)[number]

export const namespaceExport = declareOp({
  name: 'namespace.export',
  group: 'admin',
  kind: 'read',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'bulk',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'Whole rows of a namespace, a section and a page at a time, without vectors.',
  advice: 'Rows of memory are read back by memory.bulk_set as they are. For everything about a person use erasure.export.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    section: z.enum(EXPORT_SECTIONS),
    include_tombstoned: z.boolean().default(false).describe('Of memory: rows that were deleted or rejected, too.'),
    ...page(1000, 10_000),
  }),
  output: z.object({
    section: z.enum(EXPORT_SECTIONS),
    rows: z.array(z.looseObject({})),
    count: z.int(),
    exported_at: DateTime,
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
