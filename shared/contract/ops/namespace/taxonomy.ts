import { z } from 'zod'
import { DateTime, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { TagPolicy } from './register.ts'

export const namespaceTaxonomy = declareOp({
  name: 'namespace.taxonomy',
  group: 'admin',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'The tags, entities and categories in use, most used first.',
  input: z.object({
    ...id5,
    limit: z.int().min(1).max(500).default(50).describe('Of each list.'),
    prefix: Str.max(256).default(''),
  }),
  output: z.object({
    tags: z.array(z.object({ tag: z.string(), count: z.int(), last_used_at: DateTime.nullable(), policy: TagPolicy.nullable() })),
    entities: z.array(z.object({ entity: z.string(), count: z.int(), last_used_at: DateTime })),
    categories: z.array(z.object({ category: z.string(), count: z.int() })),
  }),
  errors: [],
})
