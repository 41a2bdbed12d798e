import { dropSeals, orgsToSeal, SEAL_ROWS, sealNext } from '../store/seals.ts'
import type { Job } from './job.ts'

const DAY_MS = 24 * 3600 * 1000

/** Seals the audit rows that have no seal yet, and drops whole seals past their retention. */
export const sealAudit: Job = {
  name: 'audit_seal',
  everyMs: 60_000,
  async run(parts, signal) {
    const { database, config } = parts
    const now = new Date(parts.clock())
    let again = false
    for (const org of await orgsToSeal(database.reader)) {
      if (signal.aborted) return 'done'
      const sealed = await database.transaction((tx) => sealNext(tx, org, now))
      again ||= sealed === SEAL_ROWS
    }
    if (config.auditRetentionDays > 0)
      await database.transaction((tx) => dropSeals(tx, new Date(now.getTime() - config.auditRetentionDays * DAY_MS)))
    return again ? 'again' : 'done'
  },
}
