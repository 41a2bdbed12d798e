import { z } from 'zod'
import { DateTimeIn, Sensitivity, Str, id5 } from '../../common.ts'
import { MessageId, MessageRole, ThreadId } from '../../conversation.ts'
import { declareOp } from '../../declare.ts'
import { Metadata, RunId } from '../../run.ts'

export const conversationAppend = declareOp({
  name: 'conversation.append',
  group: 'knowledge',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Saves messages at the end of a conversation, in the order of the call: all of them or none. Nothing is learned from them here.',
  input: z.object({
    ...id5,
    run_id: RunId.optional(),
    thread_id: ThreadId.optional().describe('Left out: the session; a new one where there is none.'),
    title: Str.max(300).optional().describe('Stored when given.'),
    metadata: Metadata.optional().describe('Of the thread; replaces what it has.'),
    sensitivity: Sensitivity.optional().describe('Of the whole thread; a message has the higher of its own and this.'),
    messages: z
      .array(
        z.object({
          role: MessageRole,
          content: Str.min(1).max(1_000_000),
          name: Str.max(200).default(''),
          at: DateTimeIn.optional().describe('Now when left out; it does not change the order.'),
          message_id: MessageId.optional().describe('A new one when left out. The same again is not stored twice.'),
          sensitivity: Sensitivity.optional().describe('Detected when left out.'),
          metadata: Metadata.default({}),
        }),
      )
      .max(500),
  }),
  output: z.object({
    thread_id: z.string(),
    created: z.boolean(),
    appended: z.int(),
    repeated: z.int(),
    message_ids: z.array(z.string()),
    last_seq: z.int(),
  }),
  errors: ['ALREADY_EXISTS'],
})
