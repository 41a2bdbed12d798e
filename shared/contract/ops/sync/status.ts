import { z } from 'zod'
import { DateTime, ROLES } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const SyncStateName = z.enum(['off', 'connecting', 'erasing', 'syncing', 'idle', 'offline', 'paused', 'revoked', 'error'])
export type SyncStateName = z.infer<typeof SyncStateName>

export const syncStatus = declareOp({
  name: 'sync.status',
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
  summary: 'How this desktop stands with its team server: state, queue, inbox and shapes.',
  input: z.object({}),
  output: z.object({
    state: SyncStateName,
    server_url: z.string(),
    server_id: z.string(),
    org: z.string(),
    subject: z.string(),
    device_id: z.string(),
    grants: z.record(z.string(), z.enum(ROLES)),
    queued: z.int(),
    oldest_queued_at: DateTime.nullable(),
    quarantined: z.int(),
    inbox: z.int(),
    last_push_at: DateTime.nullable(),
    last_pull_at: DateTime.nullable(),
    erasure_seq: z.int(),
    erasures_failed: z.array(z.string()),
    judge_version_server: z.string(),
    shapes: z.array(z.object({ table: z.string(), up_to_date: z.boolean(), rows: z.int(), refetching: z.boolean() })),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    retry_at: DateTime.nullable(),
  }),
  errors: [],
})
