import { z } from 'zod'
import { id5 } from '../../common.ts'
import { MessageId, ThreadId } from '../../conversation.ts'
import { declareOp } from '../../declare.ts'

export const conversationDelete = declareOp({
  name: 'conversation.delete',
  group: 'knowledge',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Deletes a conversation, or messages of it. The sequence of the others stays as it is.',
  input: z.object({
    ...id5,
    thread_id: ThreadId,
    message_ids: z.array(MessageId).min(1).max(500).optional().describe('Left out: the whole thread.'),
  }),
  output: z.object({ found: z.boolean(), deleted: z.int() }),
  errors: ['AMBIGUOUS_KEY'],
})
