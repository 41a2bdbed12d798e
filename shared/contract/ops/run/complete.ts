import { z } from 'zod'
import { DateTime, MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { EndStatus, Metadata, Retain, RunId, RunOutcome } from '../../run.ts'

export const runComplete = declareOp({
  name: 'run.complete',
  group: 'runs',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Ends a run: what it used, how it went, and what becomes of what it wrote.',
  input: z.object({
    ...id5,
    run_id: RunId,
    status: EndStatus,
    final_response: Str.max(100_000).default(''),
    confidence: z.number().min(0).max(1).nullable().default(null),
    memories_used: z.array(MemoryKey).max(1000).default([]).describe('Keys that the run relied on: the evidence for proposals.'),
    recalled_keys: z.array(MemoryKey).max(1000).default([]).describe('Keys that it was shown.'),
    outcome: RunOutcome.nullable().default(null).describe('Told of each key used, as memory.outcome_run does.'),
    weight: z.int().min(1).max(10).default(1),
    duration_ms: z.int().min(0).nullable().optional().describe('Since it was started when left out.'),
    metadata: Metadata.default({}).describe("Added to the run's."),
    reflection: Str.max(20_000).default(''),
    retain: Retain.default('keep').describe('demote halves the confidence of what the run wrote; expire gives it 7 days.'),
  }),
  output: z.object({
    run_id: z.string(),
    status: EndStatus,
    completed_at: DateTime,
    created: z.boolean(),
    noop: z.boolean(),
    used: z.int(),
    used_unknown: z.array(z.string()),
    outcome_applied: z.int(),
    retained: z.object({
      demoted: z.int(),
      expired: z.int(),
      refused: z.array(z.object({ memory_key: z.string(), memory_id: z.string(), code: z.string() })),
    }),
    awaiting_grade: z.array(z.string()),
  }),
  errors: ['ALREADY_EXISTS'],
  example: {
    input: {
      run_id: 'r-91c2',
      status: 'completed',
      final_response: 'Rolled back release 41.',
      memories_used: ['deploy/window/prod'],
      outcome: 'positive',
      retain: 'keep',
    },
  },
})
