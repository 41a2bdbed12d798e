import { z } from 'zod'
import { declareOp } from '../../declare.ts'
import { Backup } from '../../backup.ts'

export const backupList = declareOp({
  name: 'backup.list',
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
  summary: 'The backups of this desktop’s data, newest first.',
  input: z.object({}),
  output: z.object({ backups: z.array(Backup) }),
  errors: [],
})
