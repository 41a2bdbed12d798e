import { z } from 'zod'
import { AgentName, DateTime, DateTimeIn, JsonValue, MemoryKey, Str } from './common.ts'
import { stringifyJson } from './json.ts'

/** A run: one piece of work of an agent, its events, and what they are made of. */

export const RunId = AgentName.describe('Name of the run in the namespace.')

const utf8Bytes = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)

/** Bytes of a value as one JSON text in UTF-8. */
export function jsonBytes(value: unknown): number {
  let bytes = 0
  for (const character of stringifyJson(value)) bytes += utf8Bytes(character.codePointAt(0) ?? 0)
  return bytes
}

export const MOST_METADATA_BYTES = 16_384
export const Metadata = z
  .record(Str, JsonValue)
  .refine((value) => jsonBytes(value) <= MOST_METADATA_BYTES, 'must be at most 16 KiB as JSON')
  .describe('One object, at most 16 KiB as JSON.')

export const RunStatus = z.enum(['running', 'completed', 'failed', 'cancelled'])
export const EndStatus = z.enum(['completed', 'failed', 'cancelled'])
export const RunOutcome = z.enum(['positive', 'negative', 'neutral'])
export const Grade = z.enum(['pass', 'fail'])
export const Retain = z.enum(['keep', 'demote', 'expire'])
export const EventKind = z.enum(['op', 'tool_call', 'file_read', 'file_write', 'message', 'error', 'note'])
export type RunStatus = z.infer<typeof RunStatus>
export type EventKind = z.infer<typeof EventKind>

export const RunView = z.object({
  run_id: z.string(),
  goal: z.string(),
  status: RunStatus,
  implicit: z.boolean(),
  parent_run_id: z.string(),
  agent: z.string(),
  user_id: z.string(),
  session_id: z.string(),
  actor: z.string(),
  started_at: DateTime,
  completed_at: DateTime.nullable(),
  duration_ms: z.int().nullable(),
  final_response: z.string(),
  confidence: z.number().nullable(),
  reflection: z.string(),
  metadata: JsonValue,
  memories_used: z.array(z.string()),
  recalled_keys: z.array(z.string()),
  outcome: RunOutcome.nullable(),
  retain: Retain,
  grade: Grade.nullable(),
  graded_at: DateTime.nullable(),
  graded_by: z.string(),
  grade_reason: z.string(),
  events: z.int(),
  tool_calls: z.int(),
  files: z.array(z.string()).max(100),
  memories_written: z.int(),
})
export type RunView = z.infer<typeof RunView>

export const RunEvent = z.object({
  seq: z.int(),
  at: DateTime,
  kind: EventKind,
  name: z.string(),
  summary: z.string(),
  files: z.array(z.string()),
  memory_keys: z.array(z.string()),
  ok: z.boolean(),
  code: z.string(),
  duration_ms: z.int().nullable(),
})
export type RunEvent = z.infer<typeof RunEvent>

/** An event as an agent tells it; those of kind `op` are the engine's own. */
export const ToldEvent = z.object({
  kind: EventKind.exclude(['op']),
  name: Str.max(200).default(''),
  summary: Str.max(4000).default(''),
  files: z.array(Str.min(1).max(1024)).max(64).default([]),
  memory_keys: z.array(MemoryKey).max(64).default([]),
  ok: z.boolean().default(true),
  at: DateTimeIn.optional().describe('Now when left out.'),
  duration_ms: z.int().min(0).optional(),
})
