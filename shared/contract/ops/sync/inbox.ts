import { z } from 'zod'
import { DateTime, JsonValue, Peer, U64, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const InboxChange = z.enum(['verdict_changed', 'value_replaced', 'reverted', 'quarantined', 'erased', 'lost_on_server'])
export type InboxChange = z.infer<typeof InboxChange>
export const InboxChoice = z.enum(['accept', 'mine', 'retry'])
export type InboxChoice = z.infer<typeof InboxChoice>

export const InboxItem = z.object({
  item_id: z.string(),
  change: InboxChange,
  change_id: z.string(),
  op: z.string(),
  identity: z.object({ org: z.string(), namespace: z.string(), agent: z.string(), user_id: z.string(), session_id: z.string() }),
  memory_key: z.string(),
  mine: z.object({ value: JsonValue.nullable(), recorded_at: DateTime, conflict_verdict: z.string(), status: z.string() }),
  server: z
    .object({
      value: JsonValue.nullable(),
      version: U64.nullable(),
      version_text: z.string(),
      content_sha256: z.string(),
      actor: z.string(),
      conflict_verdict: z.string(),
      status: z.string(),
    })
    .nullable(),
  code: z.string(),
  message: z.string(),
  peers: z.array(Peer),
  choices: z.array(InboxChoice),
  created_at: DateTime,
  closed_at: DateTime.nullable(),
  closed_by: z.string(),
})
export type InboxItem = z.infer<typeof InboxItem>

export const syncInbox = declareOp({
  name: 'sync.inbox',
  group: 'admin',
  kind: 'read',
  role: 'platform_admin',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'desktop',
  identity: 'none',
  summary: 'What the team server settled otherwise than this desktop had: both texts, the reason and the choices.',
  input: z.object({
    state: z.enum(['open', 'closed', 'all']).default('open'),
    change: InboxChange.nullable().default(null),
    ...page(50, 200),
  }),
  output: z.object({ items: z.array(InboxItem), counts: z.record(z.string(), z.int()), ...nextCursor }),
  errors: ['INVALID_CURSOR'],
})
