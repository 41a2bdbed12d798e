import { z } from 'zod'
import { OrgOrAll, Subject, TokenKind, holder, mintedToken } from '../../access.ts'
import { Str, SubjectName } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const tokenMint = declareOp({
  name: 'token.mint',
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
  onMultiDesktop: true,
  identity: 'org',
  platformNamesOrg: true,
  onRepeat: 'refuse',
  summary: 'Issues a token. It is shown once: only the hash of its secret is stored.',
  input: z.object({
    org: OrgOrAll,
    subject: Subject,
    kind: TokenKind,
    ...holder,
    agent: SubjectName.default('').describe('Fixes the agent of every call.'),
    ttl_days: z.int().min(1).max(3650).nullable().default(365).describe('Days until it expires; null = never.'),
    note: Str.max(200).default(''),
  }),
  output: mintedToken,
  errors: [],
})
