import { z } from 'zod'
import { Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Grade, RunId } from '../../run.ts'

export const runGrade = declareOp({
  name: 'run.grade',
  group: 'runs',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: 'Says whether a run that is over went well: the evidence by which proposals are tried.',
  input: z.object({
    org: id5.org,
    namespace: id5.namespace,
    run_id: RunId,
    grade: Grade,
    reason: Str.max(2000).default(''),
  }),
  output: z.object({
    found: z.boolean(),
    graded: z.boolean(),
    reason: z.enum(['', 'not_found', 'not_completed']),
    grade: Grade.nullable(),
    changed: z.boolean(),
    trials: z.array(
      z.object({ memory_key: z.string(), passes: z.int(), fails: z.int(), decision: z.enum(['accepted', 'rejected', 'open']) }),
    ),
  }),
  errors: [],
})
