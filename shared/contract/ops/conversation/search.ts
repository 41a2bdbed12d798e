import { z } from 'zod'
import { DateTimeIn, Str, id5 } from '../../common.ts'
import { MessageRole, MessageView, ThreadId } from '../../conversation.ts'
import { declareOp } from '../../declare.ts'

export const ConversationHit = z.object({
  thread_id: z.string(),
  title: z.string(),
  message: MessageView,
  before: z.array(MessageView),
  after: z.array(MessageView),
  score: z.number().min(0).max(1),
  why: z.array(z.string()),
})
export type ConversationHit = z.infer<typeof ConversationHit>

export const conversationSearch = declareOp({
  name: 'conversation.search',
  group: 'knowledge',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'search',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Finds messages of saved conversations by words and meaning, with the messages around each.',
  input: z.object({
    ...id5,
    query: Str.min(1).max(4000),
    thread_id: ThreadId.optional(),
    role: MessageRole.optional(),
    since: DateTimeIn.optional(),
    until: DateTimeIn.optional(),
    top_k: z.int().min(1).max(100).default(10),
    context: z.int().min(0).max(5).default(1).describe('Messages shown before and after each hit.'),
  }),
  output: z.object({
    results: z.array(ConversationHit),
    abstain: z.boolean(),
    abstain_reason: z.string(),
    degraded: z.array(z.string()),
  }),
  errors: [],
})
