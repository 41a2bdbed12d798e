import { z } from 'zod'
import { DateTime, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { memorySearch } from './search.ts'

export const memorySearchTrace = declareOp({
  ...memorySearch,
  name: 'memory.search_trace',
  toolset: 'named',
  summary: 'Explains one search: why a hit stands where it does, or why a key is missing.',
  advice: 'Takes what memory.search takes, and expect_key: the key that should have been found.',
  input: memorySearch.input.extend({ expect_key: Str.max(512).default('').describe('A key that should have been found.') }),
  output: memorySearch.output.extend({
    trace: z.object({
      rows_in_scope: z.int(),
      filtered: z.record(z.string(), z.int()),
      legs: z.array(
        z.object({
          leg: z.string(),
          candidates: z.int(),
          top: z.array(z.object({ memory_key: z.string(), score: z.number() })).max(50),
          ms: z.number(),
        }),
      ),
      weights: z.record(z.string(), z.number()),
      thresholds: z.record(z.string(), z.number()),
      query: z.object({
        words: z.array(z.string()),
        entities: z.array(z.string()),
        dates: z.array(z.object({ from: DateTime, to: DateTime })),
      }),
      ms: z.record(z.string(), z.number()),
    }),
    expected: z
      .object({
        memory_key: z.string(),
        stage: z.enum(['not_found', 'unreadable', 'filtered', 'no_candidate', 'not_near', 'ranked_below', 'returned']),
        reason: z.string(),
        rank: z.int().nullable(),
        score_components: z.record(z.string(), z.number()),
      })
      .nullable(),
  }),
  example: { input: { query: 'when can we deploy to production?', expect_key: 'deploy/window/prod' } },
})
