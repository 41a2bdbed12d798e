import { z } from 'zod'
import { DateTime, MemoryKey, Status, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { DigestPeriod } from './digests.ts'

const Link = z.object({ memory_key: z.string(), memory_id: z.string(), relation: z.string(), note: z.string(), at: DateTime })

export const memoryBacklinks = declareOp({
  name: 'memory.backlinks',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'exact',
  summary: 'What refers to a memory.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.optional().describe('This or memory_id.'),
    memory_id: Str.min(1).max(64).optional().describe('This or memory_key.'),
    limit: z.int().min(1).max(100).default(20).describe('Of each list.'),
  }),
  output: z.object({
    found: z.boolean(),
    memory_key: z.string(),
    memory_id: z.string(),
    versions: z.array(z.object({ version: U64, version_text: z.string(), status: Status, updated_at: DateTime, actor: z.string() })),
    digests: z.array(z.object({ digest_id: z.string(), period: DigestPeriod, period_start: DateTime })),
    links_in: z.array(Link),
    links_out: z.array(Link),
    evidence_count: z.int(),
    related: z.array(z.object({ memory_key: z.string(), memory_id: z.string(), excerpt: z.string(), why: z.array(z.string()) })),
  }),
  errors: ['AMBIGUOUS_KEY'],
  needsOneOf: ['memory_key', 'memory_id'],
})
