import { z } from 'zod'
import { DateTime, Str, SubjectName, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Metadata, RunStatus } from '../../run.ts'

export const runStart = declareOp({
  name: 'run.start',
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
  summary: 'Begins a run: one piece of work, to which events, uses of memories, an outcome and a grade belong.',
  input: z.object({
    ...id5,
    run_id: SubjectName.default('').describe('A new one when left out.'),
    goal: Str.max(2000).default(''),
    parent_run_id: SubjectName.default(''),
    metadata: Metadata.default({}),
  }),
  output: z.object({ run_id: z.string(), status: RunStatus, started_at: DateTime, created: z.boolean() }),
  errors: ['ALREADY_EXISTS'],
})
