import { z } from 'zod'
import { Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const backupRestore = declareOp({
  name: 'backup.restore',
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
  // The store that would keep the answer is the one that goes; the ring keeps it instead.
  onRepeat: 'again',
  summary: 'Puts a backup in the place of this desktop’s data, which is backed up first.',
  input: z.object({
    backup_id: Str.min(1).max(200),
    confirm: Str.max(200).describe('The backup_id again.'),
  }),
  output: z.object({ restored: z.boolean(), safety_backup_id: z.string(), fences_applied: z.int(), rows: z.int() }),
  errors: ['NOT_FOUND', 'IN_PROGRESS', 'STORAGE_FULL'],
})
