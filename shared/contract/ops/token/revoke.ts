import { z } from 'zod'
import { Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const tokenRevoke = declareOp({
  name: 'token.revoke',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'none',
  rate: 'admin',
  sync: 'server',
  host: 'server',
  onMultiDesktop: true,
  identity: 'none',
  summary: 'Ends a token: its next call is refused, on every process.',
  input: z.object({ token_id: Str.max(64), reason: Str.max(1000).default('') }),
  output: z.object({ token_id: z.string(), revoked: z.boolean().describe('False: it was revoked already.') }),
  errors: ['NOT_FOUND'],
})
