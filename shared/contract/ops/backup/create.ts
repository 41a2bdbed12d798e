import { Str } from '../../common.ts'
import { z } from 'zod'
import { declareOp } from '../../declare.ts'
import { Backup } from '../../backup.ts'

/** What is told while a backup is made. Who ends the call ends it: the ring is as before. */
export const BackupProgress = z.object({
  step: z.enum(['copying', 'checking', 'packing']),
  bytes_done: z.int(),
  bytes_total: z.int(),
  text: z.string(),
})
export type BackupProgress = z.infer<typeof BackupProgress>

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
  progress: BackupProgress,
  errors: ['IN_PROGRESS', 'STORAGE_FULL'],
  example: { input: { label: 'before the clean-up' } },
})
