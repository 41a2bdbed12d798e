import { z } from 'zod'
import { Str, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { SchemaStatus, SchemaView } from '../../record.ts'

export const memorySchemaList = declareOp({
  name: 'memory_schema.list',
  group: 'records',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'Lists the schemas of typed records, with how many records each has.',
  input: z.object({
    org: id5.org,
    namespace: id5.namespace,
    schema: Str.max(200).default(''),
    status: z.array(SchemaStatus).max(4).default(['active', 'proposed']),
    ...page(100, 500),
  }),
  output: z.object({
    schemas: z.array(SchemaView.extend({ records: z.int().describe('Live records of the schema.') })),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
