import { z } from 'zod'
import { Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { SchemaName, SchemaStatus } from '../../record.ts'

export const memorySchemaApprove = declareOp({
  name: 'memory_schema.approve',
  group: 'records',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'admin',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: 'Accepts a proposed schema, which then rules its records, or turns it down.',
  input: z.object({
    org: id5.org,
    namespace: id5.namespace,
    schema: SchemaName,
    version: z.int().min(1).optional().describe('The newest proposed one when left out.'),
    decision: z.enum(['approve', 'reject']),
    reason: Str.max(500).default(''),
  }),
  output: z.object({ schema: z.string(), version: z.int(), status: SchemaStatus, changed: z.boolean() }),
  errors: ['NOT_FOUND', 'ALREADY_EXISTS'],
})
