import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const namespaceRegisterCategory = declareOp({
  name: 'namespace.register_category',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'admin',
  sync: 'server',
  host: 'engine',
  identity: 'namespace',
  summary: 'Makes a category that keys can be put into, or changes it.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    category: Str.min(1).max(128).describe('Matched without case.'),
    description: Str.max(500).optional().describe('Kept when left out.'),
    retired: z.boolean().default(false).describe('Keeps its links, takes no new ones.'),
  }),
  output: z.object({ category: z.string(), created: z.boolean(), changed: z.boolean() }),
  errors: [],
})
