import { z } from 'zod'
import { DateTime, DateTimeIn, MemoryKey, Name, Str, U64, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

/** One changed thing: hashes and ids, never a value. */
export const AuditRow = z.object({
  audit_id: z.string(),
  at: DateTime,
  op: z.string(),
  subject: z.string(),
  org: z.string(),
  namespace: z.string(),
  agent: z.string(),
  user_id: z.string(),
  session_id: z.string(),
  memory_key: z.string(),
  memory_id: z.string(),
  to_key: z.string(),
  version: U64.nullable(),
  version_text: z.string(),
  content_sha256: z.string(),
  actor: z.string(),
  source_class: z.string(),
  conflict_verdict: z.string(),
  run_id: z.string(),
  request_id: z.string(),
  origin: z.enum(['local', 'push', 'worker']),
  seal: z.int().nullable(),
  row_sha256: z.string(),
  scrubbed: z.boolean(),
})
export type AuditRow = z.infer<typeof AuditRow>

export const auditList = declareOp({
  name: 'audit.list',
  group: 'admin',
  kind: 'read',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'Who changed what and when: hashes, never values. `verify` recomputes the seals of the org.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    since: DateTimeIn.optional(),
    until: DateTimeIn.optional(),
    op: Str.max(64).optional(),
    actor: Str.max(300).optional(),
    memory_key: MemoryKey.optional(),
    memory_id: Str.min(1).max(64).optional(),
    request_id: Str.min(1).max(200).optional(),
    verify: z.boolean().default(false),
    ...page(100, 1000),
  }),
  output: z.object({
    rows: z.array(AuditRow),
    ...nextCursor,
    chain: z
      .object({
        ok: z.boolean(),
        seals: z.int(),
        rows_sealed: z.int(),
        rows_unsealed: z.int(),
        rows_scrubbed: z.int(),
        first_bad_seal: z.int().nullable(),
        problem: z.string(),
      })
      .nullable(),
  }),
  errors: ['INVALID_CURSOR'],
})
