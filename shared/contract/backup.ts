import { z } from 'zod'
import { DateTime } from './common.ts'

export const BackupKind = z.enum(['manual', 'auto', 'before_restore', 'before_migration'])
export type BackupKind = z.infer<typeof BackupKind>

/** One backup of a desktop's data. */
export const Backup = z.object({
  backup_id: z.string(),
  created_at: DateTime,
  label: z.string(),
  kind: BackupKind,
  bytes: z.int(),
  sha256: z.string(),
  app_version: z.string(),
  schema_version: z.int(),
  erasure_seq: z.int(),
  damaged: z.boolean().describe('Its file is missing, or not what was written: it cannot be restored.'),
})
export type Backup = z.infer<typeof Backup>
