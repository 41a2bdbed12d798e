import { sql } from 'kysely'
import { endIdle } from '../store/sessions.ts'
import type { Job } from './job.ts'

const SESSION_MS = 30 * 60_000
const NAMED_MS = 24 * 3_600_000

/** Ends runs that nothing is heard of, and drops scratch values that have expired. */
export const idleRuns: Job = {
  name: 'idle_runs',
  everyMs: 60_000,
  async run({ database, clock, ledger, sync }) {
    const now = clock()
    await ledger.flush()
    const silentSince = { session: new Date(now - SESSION_MS), named: new Date(now - NAMED_MS) }
    // A run of the team's org ends at its server.
    await database.transaction((tx) => endIdle(tx, silentSince, sync?.connection?.org ?? null))
    await database.transaction((tx) => sql`DELETE FROM loom.working_memory WHERE expires_at <= ${new Date(now)}`.execute(tx))
    return 'done'
  },
}
