import { z } from 'zod'
import { DateTime, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Side } from '../../pair.ts'
import { LearningReview } from '../../shaped.ts'

export const learningQueue = declareOp({
  name: 'learning.queue',
  group: 'runs',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'The learnings that wait for a review, or were given one, newest first.',
  input: z.object({ ...id5, review: LearningReview.default('pending'), ...page(50, 200) }),
  output: z.object({
    learnings: z.array(
      z.object({
        row: Side,
        lesson: z.string(),
        situation: z.string(),
        evidence: z.array(z.string()),
        review: LearningReview,
        reviewed_by: z.string(),
        reviewed_at: DateTime.nullable(),
        used_count: z.int(),
        outcomes: z.object({ positive: z.int(), negative: z.int() }),
      }),
    ),
    counts: z.object({ pending: z.int(), kept: z.int(), rejected: z.int() }),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
