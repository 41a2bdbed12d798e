import { z } from 'zod'
import { id5, nextCursor, page } from '../../common.ts'
import { MessageView, ThreadId, ThreadView } from '../../conversation.ts'
import { declareOp } from '../../declare.ts'

export const conversationGet = declareOp({
  name: 'conversation.get',
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
  summary: 'Reads a conversation, page by page.',
  input: z.object({
    ...id5,
    thread_id: ThreadId,
    after_seq: z.int().min(0).default(0).describe('Only messages after this one.'),
    order: z.enum(['asc', 'desc']).default('asc'),
    ...page(100, 1000),
  }),
  output: ThreadView.omit({ messages: true })
    .partial()
    .extend({ found: z.boolean(), message_count: z.int().optional(), messages: z.array(MessageView), ...nextCursor }),
  errors: ['AMBIGUOUS_KEY', 'INVALID_CURSOR'],
})
