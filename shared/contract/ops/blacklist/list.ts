import { z } from 'zod'
import { DateTime, Name, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const BlacklistScope = z.enum(['namespace', 'org', 'global'])

export const blacklistList = declareOp({
  name: 'blacklist.list',
  group: 'review',
  kind: 'read',
  role: 'writer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'namespace',
  summary: 'The patterns that refuse values in a namespace, newest first.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    scope: z
      .enum([...BlacklistScope.options, 'all'])
      .default('all')
      .describe('all: every pattern that binds the namespace.'),
    ...page(100, 500),
  }),
  output: z.object({
    patterns: z.array(
      z.object({
        blacklist_id: z.string(),
        pattern: z.string(),
        pattern_type: z.enum(['substring', 'regex']),
        scope: BlacklistScope,
        reason: z.string(),
        created_by: z.string(),
        actor: z.string(),
        created_at: DateTime,
        hits: z.int(),
        last_hit_at: DateTime.nullable(),
      }),
    ),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
