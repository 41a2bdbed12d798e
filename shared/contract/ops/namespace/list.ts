import { z } from 'zod'
import { DateTime, Name, ROLES, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const namespaceList = declareOp({
  name: 'namespace.list',
  group: 'admin',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'org',
  summary: 'The namespaces that the caller may read, by name.',
  input: z.object({ org: Name.optional(), ...page(100, 500) }),
  output: z.object({
    namespaces: z.array(
      z.object({
        namespace: z.string(),
        description: z.string(),
        registered: z.boolean(),
        role: z.enum(ROLES),
        rows: z.int(),
        open_conflicts: z.int(),
        last_write_at: DateTime.nullable(),
      }),
    ),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
