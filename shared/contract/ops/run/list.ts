import { z } from 'zod'
import { DateTimeIn, Str, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Grade, RunStatus, RunView } from '../../run.ts'

export const runList = declareOp({
  name: 'run.list',
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
  summary: 'Lists runs, newest first.',
  input: z.object({
    ...id5,
    status: z.array(RunStatus).max(4).optional(),
    grade: z.enum([...Grade.options, 'none']).optional(),
    memory_key: Str.max(512).default('').describe('Used by the run.'),
    since: DateTimeIn.nullable().optional().describe('Started then or later.'),
    until: DateTimeIn.nullable().optional().describe('Started before.'),
    implicit: z.boolean().nullable().optional().describe('true: those of MCP sessions alone; false: none of them.'),
    ...page(50, 500),
  }),
  output: z.object({ runs: z.array(RunView), ...nextCursor }),
  errors: ['INVALID_CURSOR'],
})
