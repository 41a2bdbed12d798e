import { z } from 'zod'
import { DateTimeIn, MemoryKey, Str, U64In, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Row } from '../../row.ts'

export const AsOfBasis = z.enum(['valid_time', 'knowledge_time'])

/** The fields that memory.get and memory.get_by_id share. */
export const readFields = {
  if_version: U64In.optional().describe('The version the caller holds; equal to the head, only `unchanged` is answered.'),
  fields: z.array(Str.max(64)).max(100).optional().describe('Names of row fields to answer; all when left out.'),
  follow: z.boolean().default(false).describe('Lead redirects, duplicates and superseded rows to the live row.'),
  include_recall_breakdown: z.boolean().default(false).describe('Adds `recall_breakdown`: how often each operation served the row.'),
  as_of: DateTimeIn.nullable().optional(),
  as_of_basis: AsOfBasis.default('valid_time'),
  include_proposed: z.boolean().default(false),
}

export const readAnswer = {
  found: z.boolean(),
  unchanged: z.boolean(),
  reason: z.enum(['', 'not_found', 'deleted', 'expired', 'proposed']),
  next: z.string(),
  ...Row.partial().shape,
}

export const memoryGet = declareOp({
  name: 'memory.get',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'core',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'exact',
  summary: 'Reads one fact by its key.',
  input: z.object({ ...id5, memory_key: MemoryKey, run_id: Str.max(200).default(''), ...readFields }),
  output: z.object(readAnswer),
  errors: ['AMBIGUOUS_KEY'],
})
