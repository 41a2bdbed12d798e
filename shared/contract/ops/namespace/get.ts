import { z } from 'zod'
import { DateTime, Name } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { NamespaceSettings } from './register.ts'

export const namespaceGet = declareOp({
  name: 'namespace.get',
  group: 'admin',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'Settings of a namespace as in force, its categories and what it holds.',
  input: z.object({ org: Name.optional(), namespace: Name.optional(), counts: z.boolean().default(true) }),
  output: z.object({
    namespace: z.string(),
    registered: z.boolean(),
    settings: NamespaceSettings,
    categories: z.array(z.object({ name: z.string(), description: z.string(), retired: z.boolean(), keys: z.int() })),
    counts: z
      .object({
        by_status: z.record(z.string(), z.int()),
        by_type: z.record(z.string(), z.int()),
        records: z.int(),
        documents: z.int(),
        threads: z.int(),
        runs: z.int(),
        snapshots: z.int(),
      })
      .nullable(),
    created_at: DateTime.nullable(),
    updated_at: DateTime.nullable(),
  }),
  errors: ['NOT_FOUND'],
})
