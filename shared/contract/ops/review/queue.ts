import { z } from 'zod'
import { DateTime, JsonValue, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { NextCall, Side } from '../../pair.ts'

export const ReviewKind = z.enum(['conflict', 'duplicate', 'proposal', 'sync', 'low_confidence'])

export const ReviewItem = z.object({
  item_id: z.string(),
  kind: ReviewKind,
  at: DateTime,
  row: Side,
  peer: Side.nullable(),
  peers_more: z.int().describe('Further open pairs of the row, each an item of its own.'),
  reason: z.string(),
  confidence: z.number().nullable(),
  unsure: z.boolean(),
  sync: z
    .object({
      change: z.enum(['verdict_changed', 'value_replaced', 'reverted', 'quarantined', 'erased', 'lost_on_server']),
      local_verdict: z.string(),
      server_verdict: z.string(),
      local_value: JsonValue.nullable(),
      code: z.string().nullable(),
    })
    .nullable(),
  actions: z.array(NextCall.extend({ action: z.string() })).describe('What one click sends, complete.'),
})

export const reviewQueue = declareOp({
  name: 'review.queue',
  group: 'review',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Everything that waits for a person or an agent to settle it, newest first, with counts.',
  input: z.object({ ...id5, kinds: z.array(ReviewKind).max(5).optional(), ...page(50, 200) }),
  output: z.object({
    items: z.array(ReviewItem),
    counts: z.object({
      conflict: z.int(),
      duplicate: z.int(),
      proposal: z.int(),
      sync: z.int(),
      low_confidence: z.int(),
      total: z.int(),
    }),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
