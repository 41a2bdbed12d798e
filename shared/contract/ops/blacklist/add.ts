import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const blacklistAdd = declareOp({
  name: 'blacklist.add',
  group: 'review',
  kind: 'write',
  role: 'writer',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'core',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: 'Refuses later values that match a pattern; on request, retires what matches already.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    pattern: Str.min(2).max(500),
    pattern_type: z.enum(['substring', 'regex']).default('substring').describe('regex: RE2 syntax, unanchored.'),
    scope: z.enum(['namespace', 'org', 'global']).default('namespace'),
    reason: Str.max(500).default(''),
    sweep: z.boolean().default(false).describe('Also retire what matches already.'),
    created_by: Str.max(300).optional().describe('A label; the actor when left out.'),
  }),
  output: z.object({
    blacklist_id: z.string(),
    created: z.boolean(),
    scope: z.enum(['namespace', 'org', 'global']),
    swept: z.int(),
    skipped_locked: z.int(),
    swept_truncated: z.boolean(),
    sweep_error: z.string(),
  }),
  errors: [],
})
