import { z } from 'zod'
import { Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { RunId, RunOutcome } from '../../run.ts'

export const memoryOutcomeRun = declareOp({
  name: 'memory.outcome_run',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: false,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Tells one outcome of every memory that a run used.',
  input: z.object({
    ...id5,
    run_id: RunId,
    outcome: RunOutcome,
    weight: z.int().min(1).max(10).default(1).describe('What the counter moves by.'),
    note: Str.max(500).default(''),
  }),
  output: z.object({
    found: z.boolean().describe('The run.'),
    run_id: z.string(),
    recorded: z.int(),
    rows: z.array(
      z.object({
        memory_key: z.string(),
        memory_id: z.string(),
        recorded: z.boolean(),
        reason: z.enum(['', 'not_found', 'repeated']),
        quarantined: z.boolean(),
      }),
    ),
  }),
  errors: [],
})
