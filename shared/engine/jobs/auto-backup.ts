import { isLoomError } from '../../contract/errors.ts'
import type { Job } from './job.ts'

/** Makes a backup when the newest one, of whatever kind, is as old as the setting `backup.auto_hours` says. */
export const autoBackup: Job = {
  name: 'auto_backup',
  everyMs: 60_000,
  host: 'desktop',
  async run({ backups, clock, publish, log }) {
    const due = (await backups?.nextDue()) ?? null
    if (backups === null || due === null || due.getTime() > clock()) return 'done'
    try {
      const made = await backups.create('auto', '')
      log.info({ backup_id: made.backup_id, bytes: made.bytes }, 'made a backup')
      publish({ type: 'backups.changed' })
    } catch (error) {
      // Somebody is making one.
      if (!isLoomError(error) || error.code !== 'IN_PROGRESS') throw error
    }
    return 'done'
  },
}
