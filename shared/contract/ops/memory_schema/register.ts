import { z } from 'zod'
import { id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { SchemaStatus, schemaFields } from '../../record.ts'

export const memorySchemaRegister = declareOp({
  name: 'memory_schema.register',
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
  summary: 'Registers a schema of typed records, or its next version: from then on it rules what memory.record.write takes.',
  input: z.object({ org: id5.org, namespace: id5.namespace, ...schemaFields }),
  output: z.object({ schema: z.string(), version: z.int(), status: SchemaStatus, created: z.boolean() }),
  errors: ['ALREADY_EXISTS'],
  example: {
    input: {
      schema: 'ticket',
      fields: [
        { name: 'number', type: 'string', identity: true, required: true },
        { name: 'status', type: 'string', required: true, enum_values: ['open', 'waiting', 'closed'] },
        { name: 'amount', type: 'number', min_value: 0 },
      ],
    },
    output: { schema: 'ticket', version: 1, status: 'active', created: true },
  },
})
