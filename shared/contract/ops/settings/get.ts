import { z } from 'zod'
import { Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const settingsGet = declareOp({
  name: 'settings.get',
  group: 'admin',
  kind: 'read',
  role: 'platform_admin',
  idempotent: true,
  audited: false,
  toolset: 'none',
  rate: 'read',
  sync: 'none',
  host: 'desktop',
  identity: 'none',
  summary: 'The settings of this desktop: what each is, where that comes from, and what it may be.',
  input: z.object({ keys: z.array(Str.max(200)).max(100).default([]).describe('Empty: all of them.') }),
  output: z.object({
    settings: z.array(
      z.object({
        key: z.string(),
        type: z.string(),
        value: z.union([z.string(), z.number(), z.boolean()]),
        default: z.union([z.string(), z.number(), z.boolean()]),
        source: z.enum(['default', 'file', 'env']),
        restart: z.boolean(),
        description: z.string(),
      }),
    ),
  }),
  errors: [],
  example: { input: { keys: ['backup.keep'] } },
})
