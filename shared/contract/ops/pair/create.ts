import { z } from 'zod'
import { OrgOrAll, Subject, TokenKind, holder } from '../../access.ts'
import { DateTime } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const pairCreate = declareOp({
  name: 'pair.create',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: false,
  audited: true,
  toolset: 'none',
  rate: 'admin',
  sync: 'server',
  host: 'server',
  identity: 'org',
  platformNamesOrg: true,
  onRepeat: 'refuse',
  summary: 'Makes a single-use code by which one desktop is paired with the server.',
  input: z.object({
    org: OrgOrAll,
    subject: Subject,
    kind: TokenKind.default('human'),
    ...holder,
    ttl_minutes: z.int().min(1).max(10_080).default(60),
  }),
  output: z.object({
    pair_id: z.string(),
    code: z.string().describe('XXXX-XXXX-XXXX, only here.'),
    link: z.string().describe('loom://pair?server=…&code=…'),
    expires_at: DateTime,
  }),
  errors: [],
})
