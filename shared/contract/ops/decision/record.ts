import { z } from 'zod'
import { MemoryKey, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { SHAPED_ERRORS, shapedFields, shapedKey } from '../../shaped.ts'
import { claimAnswer } from '../memory/set.ts'

export const decisionRecord = declareOp({
  name: 'decision.record',
  group: 'runs',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Stores a decision with its reasons; it may take the place of an earlier one.',
  input: z.object({
    ...shapedFields,
    title: Str.min(1).max(200),
    decision: Str.min(1).max(4000),
    rationale: Str.max(8000).default(''),
    alternatives: z
      .array(z.object({ option: Str.min(1).max(4000), why_not: Str.max(4000).default('') }))
      .max(20)
      .default([]),
    supersedes: MemoryKey.optional().describe('Key of the earlier decision.'),
    memory_key: shapedKey('decision', 'title'),
  }),
  output: z.object({ ...claimAnswer, superseded: z.object({ memory_key: z.string(), memory_id: z.string() }).nullable() }),
  errors: [...SHAPED_ERRORS, 'AMBIGUOUS_KEY'],
})
