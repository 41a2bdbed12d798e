import { z } from 'zod'
import { DateTime, MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

const Relation = z.enum(['see_also', 'supports', 'contradicts', 'refines', 'depends_on', 'part_of', 'derived_from', 'evidence'])

export const memoryLink = declareOp({
  name: 'memory.link',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Links one memory to another, or takes the link away.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.describe('The end that the link starts from.'),
    to_key: MemoryKey.describe('The end that it leads to.'),
    relation: Relation.default('see_also'),
    note: Str.max(500).default(''),
    remove: z.boolean().default(false),
  }),
  output: z.object({
    linked: z.boolean(),
    reason: z.enum(['', 'not_found', 'not_linked']),
    missing: z.array(z.string()),
    link: z
      .object({ from_key: z.string(), to_key: z.string(), relation: Relation, note: z.string(), actor: z.string(), at: DateTime })
      .nullable(),
  }),
  errors: ['AMBIGUOUS_KEY'],
})
