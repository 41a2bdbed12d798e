import { z } from 'zod'
import { Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { SchemaStatus, schemaFields } from '../../record.ts'

export const memorySchemaPropose = declareOp({
  name: 'memory_schema.propose',
  group: 'records',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: 'Proposes a schema of typed records, which an admin may accept with memory_schema.approve.',
  input: z.object({ org: id5.org, namespace: id5.namespace, ...schemaFields, reason: Str.max(500).default('') }),
  output: z.object({ schema: z.string(), version: z.int(), status: SchemaStatus, created: z.boolean() }),
  errors: ['ALREADY_EXISTS'],
})
