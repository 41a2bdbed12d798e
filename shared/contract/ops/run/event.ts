import { z } from 'zod'
import { id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { RunId, ToldEvent } from '../../run.ts'

export const runEvent = declareOp({
  name: 'run.event',
  group: 'runs',
  kind: 'write',
  role: 'writer',
  idempotent: false,
  audited: false,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Adds what happened to a run, running or over.',
  input: z.object({ ...id5, run_id: RunId, events: z.array(ToldEvent).min(1).max(100) }),
  output: z.object({ found: z.boolean(), appended: z.int(), last_seq: z.int() }),
  errors: [],
})
