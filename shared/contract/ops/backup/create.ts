import { Str } from '../../common.ts'
import { z } from 'zod'
import { declareOp } from '../../declare.ts'
import { Backup } from '../../backup.ts'

export const backupCreate = declareOp({
  name: 'backup.create',
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
  summary: 'Makes a consistent, checked copy of this desktop’s data.',
  input: z.object({ label: Str.max(200).default('').describe('What it is for, as it is listed.') }),
  output: Backup,
  errors: ['IN_PROGRESS', 'STORAGE_FULL'],
  example: { input: { label: 'before the clean-up' } },
})
