import { z } from 'zod'
import { ListedToken, OrgOrAll } from '../../access.ts'
import { nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const tokenList = declareOp({
  name: 'token.list',
  group: 'admin',
  kind: 'read',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: false,
  toolset: 'none',
  rate: 'read',
  sync: 'none',
  host: 'server',
  onMultiDesktop: true,
  identity: 'org',
  platformNamesOrg: true,
  summary: 'The tokens of the org, newest first; for an admin those whose grants all lie in namespaces that it administers.',
  input: z.object({ org: OrgOrAll, include_revoked: z.boolean().default(false), ...page(100, 500) }),
  output: z.object({ tokens: z.array(ListedToken), ...nextCursor }),
  errors: ['INVALID_CURSOR'],
})
