import { z } from 'zod'
import { DateTime, JsonValue, Sensitivity, Str, SubjectName } from './common.ts'

/** A saved conversation and its messages, as the operations on them tell them. */

export const ThreadId = SubjectName.min(1)
export const MessageRole = z.enum(['user', 'assistant', 'system', 'tool'])
export const MessageId = Str.min(1).max(200)

export const ThreadView = z.object({
  thread_id: z.string(),
  title: z.string(),
  metadata: JsonValue,
  sensitivity: Sensitivity,
  messages: z.int(),
  first_at: DateTime.nullable(),
  last_at: DateTime.nullable(),
  agent: z.string(),
  user_id: z.string(),
  session_id: z.string(),
  actor: z.string(),
  created_at: DateTime,
})
export type ThreadView = z.infer<typeof ThreadView>

export const MessageView = z.object({
  message_id: z.string(),
  seq: z.int(),
  role: MessageRole,
  name: z.string(),
  content: z.string(),
  at: DateTime,
  sensitivity: Sensitivity,
  metadata: JsonValue,
  run_id: z.string(),
  agent: z.string(),
  actor: z.string(),
})
export type MessageView = z.infer<typeof MessageView>
