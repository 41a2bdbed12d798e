import { z } from 'zod'
import { ConflictVerdict, MemoryKey, Peer, Status, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryProposalDecide = declareOp({
  name: 'memory.proposal_decide',
  group: 'review',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Accepts or rejects the newest proposal of a key: nothing else ends its trial, the auto policy apart.',
  advice:
    'Any writer may decide, the proposer too, under either policy mode. Accepting judges the fact again: what it contradicts makes it ' +
    'conflicted and retires nothing. Relations named on trial are not added; state them again with memory.set.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey,
    decision: z.enum(['accept', 'reject']),
    reason: Str.max(500).default(''),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    found: z.boolean(),
    decided: z.boolean(),
    reason: z.enum(['', 'not_found', 'not_proposed']),
    memory_id: z.string(),
    version: U64,
    version_text: z.string(),
    status: z.union([Status, z.literal('')]),
    conflict_verdict: ConflictVerdict,
    peers: z.array(Peer).max(5),
    dry_run: z.boolean(),
  }),
  errors: ['PINNED_CONFLICT', 'BLACKLISTED', 'LOCKED'],
})
