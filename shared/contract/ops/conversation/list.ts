import { z } from 'zod'
import { DateTimeIn, id5, nextCursor, page } from '../../common.ts'
import { ThreadView } from '../../conversation.ts'
import { declareOp } from '../../declare.ts'
import { RunId } from '../../run.ts'

export const conversationList = declareOp({
  name: 'conversation.list',
  group: 'knowledge',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Lists conversations, last message first.',
  input: z.object({
    ...id5,
    since: DateTimeIn.optional().describe('Last message then or later.'),
    until: DateTimeIn.optional().describe('Last message before.'),
    run_id: RunId.optional().describe('With a message of this run.'),
    ...page(50, 500),
  }),
  output: z.object({ threads: z.array(ThreadView), ...nextCursor }),
  errors: ['INVALID_CURSOR'],
})
