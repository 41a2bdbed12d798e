import { z } from 'zod'
import { JsonValue, MemoryKey, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { pairTarget, settleAnswer } from '../../pair.ts'

export const Resolution = z.enum(['keep_row', 'keep_peer', 'keep_both', 'merge', 'reopen'])

export const conflictsResolve = declareOp({
  name: 'conflicts.resolve',
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
  summary: 'Settles one contradiction or duplicate, or (reopen) puts back what settling it changed.',
  advice:
    'keep_row keeps the later write, keep_peer the row it stands against; keep_both keeps both for good; merge writes `value` at the key of ' +
    'the peer and drops the row. `undo` of the answer takes it back for 14 days.',
  input: z.object({
    ...pairTarget,
    peer_key: MemoryKey.optional().describe('Only when the row has several open pairs.'),
    resolution: Resolution,
    value: JsonValue.optional().describe('For merge alone: the claim that takes the place of both.'),
    reason: Str.max(500).default(''),
    if_match_sha256: Str.max(64).default('').describe('content_sha256 of the row.'),
    peer_if_match_sha256: Str.max(64).default('').describe('content_sha256 of the peer.'),
    dry_run: z.boolean().default(false),
  }),
  output: z.object(settleAnswer),
  errors: ['AMBIGUOUS_KEY', 'PRECONDITION_FAILED', 'PINNED_CONFLICT', 'LOCKED', 'BLACKLISTED', 'CHAR_LIMIT_EXCEEDED'],
  needsOneOf: ['pair_id', 'memory_id', 'memory_key'],
})
