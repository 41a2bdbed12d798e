import { z } from 'zod'
import { DateTime, MemoryKey, Peer, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Side } from '../../pair.ts'

export const Proposal = z.object({
  row: Side,
  holders: z.int().describe('Proposals listed under this key.'),
  passes: z.int(),
  fails: z.int(),
  runs: z
    .array(
      z.object({
        run_id: z.string(),
        grade: z.enum(['pass', 'fail']),
        graded_at: DateTime.nullable(),
        graded_by: z.string(),
        goal: z.string(),
      }),
    )
    .max(20)
    .describe('Graded runs that relied on it, newest first.'),
  ungraded_runs: z.int(),
  contradicts: z.array(Peer).max(5),
  decidable: z.boolean().describe('No other listed proposal holds the key.'),
})
export type Proposal = z.infer<typeof Proposal>

export const memoryProposals = declareOp({
  name: 'memory.proposals',
  group: 'review',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Facts on trial, newest first, each with the graded runs that relied on it and what it contradicts.',
  input: z.object({ ...id5, memory_key: MemoryKey.optional(), ...page(50, 200) }),
  output: z.object({
    proposals: z.array(Proposal),
    policy: z.object({ mode: z.enum(['manual', 'auto']), min_passes: z.int(), max_fails: z.int(), reject_after_fails: z.int() }),
    total: z.int(),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
