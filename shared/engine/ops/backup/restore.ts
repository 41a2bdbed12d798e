import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { backupRestore as contract } from '../../../contract/ops/backup/restore.ts'
import { backupsOf } from '../../backup/backups-of.ts'
import { defineBatch } from '../../handler.ts'

/** The engine that runs this is closed on the way: nothing of its context may be used after `restore`. */
export const backupRestore = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  if (input.confirm !== input.backup_id)
    throw new LoomError('INVALID_ARGUMENT', 'confirm is not the backup_id. Send the id of the backup a second time.', { field: 'confirm' })
  const { actor, caller } = context
  const done = await backupsOf(context).restore(input.backup_id, {
    actor,
    requestId: caller.requestId,
    ...(caller.idempotencyKey !== undefined && { idempotencyKey: caller.idempotencyKey }),
  })
  return { restored: true, safety_backup_id: done.safetyBackupId, fences_applied: done.fencesApplied, rows: done.rows }
})
