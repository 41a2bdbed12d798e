import { z } from 'zod'
import { ROLES, Str, SubjectName } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const syncConnect = declareOp({
  name: 'sync.connect',
  group: 'admin',
  kind: 'write',
  role: 'platform_admin',
  idempotent: false,
  audited: true,
  toolset: 'none',
  rate: 'admin',
  sync: 'local',
  host: 'desktop',
  identity: 'none',
  onRepeat: 'again',
  summary: 'Redeems a pairing link or code of a team server, and starts to sync with it.',
  input: z.object({
    link: Str.max(4096).optional().describe('loom://pair?server=…&code=…; this, or server_url and code.'),
    server_url: Str.max(2048).optional(),
    code: Str.max(64).optional(),
    device_name: SubjectName.default('').describe('Name that the team sees; the host name when left out.'),
    use_namespace: Str.max(127).default('').describe('Namespace that calls without one use from now on; empty keeps the local one.'),
    allow_http: z.boolean().default(false).describe('Take an http address that is not of this machine.'),
  }),
  output: z.object({
    device_id: z.string(),
    org: z.string(),
    grants: z.record(z.string(), z.enum(ROLES)),
    subject: z.string(),
    server_version: z.string(),
  }),
  errors: ['NOT_FOUND', 'ALREADY_EXISTS'],
})
