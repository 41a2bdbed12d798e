import { z } from 'zod'
import { Status, U64, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { RunEvent, RunId, RunView } from '../../run.ts'

export const runGet = declareOp({
  name: 'run.get',
  group: 'runs',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'Reads a run with its events, oldest first, and what it wrote.',
  input: z.object({ org: id5.org, namespace: id5.namespace, run_id: RunId, events: z.boolean().default(true), ...page(100, 1000) }),
  output: z.object({
    found: z.boolean(),
    ...RunView.partial().shape,
    event_list: z.array(RunEvent),
    written: z
      .array(z.object({ memory_key: z.string(), memory_id: z.string(), status: Status, version: U64, version_text: z.string() }))
      .max(200),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
