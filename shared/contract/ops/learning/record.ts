import { z } from 'zod'
import { MemoryKey, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { LearningReview, SHAPED_ERRORS, shapedFields, shapedKey } from '../../shaped.ts'
import { claimAnswer } from '../memory/set.ts'

export const learningRecord = declareOp({
  name: 'learning.record',
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
  summary: 'Stores a lesson: served at once, and waiting in the learnings queue for a person.',
  input: z.object({
    ...shapedFields,
    lesson: Str.min(1).max(2000),
    situation: Str.max(1000).default('').describe('When it applies.'),
    evidence: z.array(MemoryKey).max(64).default([]).describe('Keys that it rests on.'),
    memory_key: shapedKey('learning', 'lesson'),
  }),
  output: z.object({ ...claimAnswer, review: LearningReview }),
  errors: [...SHAPED_ERRORS],
})
