import { z } from 'zod'
import { DateTime, JsonValue, MemoryKey, MemoryType, SourceClass, Status, Str, U64, id5 } from './common.ts'

/** One row of a judged pair. */
export const Side = z.object({
  memory_key: z.string(),
  memory_id: z.string(),
  namespace: z.string(),
  agent: z.string(),
  user_id: z.string(),
  session_id: z.string(),
  memory_type: MemoryType,
  value: JsonValue.nullable(),
  status: Status,
  version: U64,
  version_text: z.string(),
  content_sha256: z.string(),
  created_at: DateTime,
  valid_at: DateTime.nullable(),
  actor: z.string(),
  source_class: SourceClass,
  tags: z.array(z.string()),
  pinned: z.boolean(),
  locked: z.boolean(),
})
export type Side = z.infer<typeof Side>

export const PairOrigin = z.enum(['write', 'sync', 'resolver', 'proposal'])

/** Two rows that the judge related: `row` is the later write, `peer` the row it was judged against. */
export const Pair = z.object({
  pair_id: z.string(),
  kind: z.enum(['conflict', 'duplicate']),
  state: z.enum(['open', 'settled', 'stale']),
  row: Side,
  peer: Side,
  similarity: z.number(),
  relation: z.string(),
  reason: z.string(),
  confidence: z.number(),
  unsure: z.boolean(),
  origin: PairOrigin,
  at: DateTime,
  resolution: z.string().nullable(),
  settled_by: z.string().nullable(),
  settled_at: DateTime.nullable(),
  undo_until: DateTime.nullable(),
})
export type Pair = z.infer<typeof Pair>

/** How a call names the pair it settles. */
export const pairTarget = {
  ...id5,
  pair_id: Str.min(1).max(200).optional().describe('This, memory_id or memory_key.'),
  memory_id: Str.min(1).max(64).optional().describe('The later row; this, pair_id or memory_key.'),
  memory_key: MemoryKey.optional().describe('Key of the later row; this, pair_id or memory_id.'),
}

const versioned = { memory_key: z.string(), memory_id: z.string(), version: U64, version_text: z.string() }

/** A call that a person may make next. */
export const NextCall = z.object({ op: z.string(), arguments: z.record(z.string(), JsonValue) })

/** What settling a pair answers. */
export const settleAnswer = {
  found: z.boolean(),
  resolved: z.boolean(),
  reason: z.enum(['', 'not_found', 'settled', 'stale']),
  pair_id: z.string(),
  kept: z.array(z.object({ memory_key: z.string(), memory_id: z.string(), status: z.string(), version: U64, version_text: z.string() })),
  tombstoned: z.object(versioned).nullable(),
  open_left: z.int(),
  noop: z.boolean(),
  dry_run: z.boolean(),
  undo: NextCall.nullable(),
}
