import { z } from 'zod'
import { DateTime, Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const NAMESPACE_CHECKS = [
  'hash_keys',
  'conflicted',
  'duplicates',
  'orphan_duplicates',
  'stale_proposals',
  'base64',
  'double_encoded',
  'oversized',
  'untagged',
  'no_entities',
  'unlabelled_sensitive',
  'embedded_high',
  'missing_vector',
  'other_model',
  'expired',
  'dangling_redirect',
  'unregistered_category',
] as const
export type NamespaceCheck = (typeof NAMESPACE_CHECKS)[number]

export const CheckResult = z.object({
  check: z.string(),
  severity: z.enum(['info', 'warning', 'error']),
  count: z.int(),
  examples: z.array(z.object({ memory_key: z.string(), memory_id: z.string(), note: z.string() })),
  advice: z.string(),
})

export const namespaceAudit = declareOp({
  name: 'namespace.audit',
  group: 'admin',
  kind: 'read',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'bulk',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'A health report: what makes memory worse, with examples. Changes nothing.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    sample_limit: z.int().min(1).max(200).default(20),
    checks: z.array(z.enum(NAMESPACE_CHECKS)).max(64).optional().describe('All when left out.'),
  }),
  output: z.object({
    checked_at: DateTime,
    rows: z.int(),
    hash_keys: z.array(Str),
    checks: z.array(CheckResult),
  }),
  errors: [],
})
