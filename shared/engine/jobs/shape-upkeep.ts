import { sql } from 'kysely'
import { compactChanges, compactShared } from '../shapes/change-log.ts'
import { fanOut } from '../shapes/fan-out.ts'
import { endHandles, lockShapes } from '../shapes/handles.ts'
import { SERVED } from '../shapes/served.ts'
import type { EngineParts } from '../parts.ts'
import type { Job } from './job.ts'

const DAY_MS = 86_400_000
const UNREAD_MS = 7 * DAY_MS
const OLDEST_MS = 30 * DAY_MS
/** Other processes follow the change log for their indexes. */
const KEEP_CHANGES_MS = 3_600_000
const MOST_ENTRIES = 1_000_000
const MOST_BYTES = 1_073_741_824

/**
 * Keeps what shapes are served from small: fans the change log out and drops it, and ends handles that nobody reads, or
 * whose log is too old, too long or too large. Their followers start over with a new one.
 */
export const shapeUpkeep: Job = {
  name: 'shape_upkeep',
  everyMs: 60_000,
  async run(parts, signal) {
    if (parts.host !== 'server') return 'done'
    const { database, clock } = parts
    const before = new Date(clock() - KEEP_CHANGES_MS)
    const { rows } = await sql<{ org: string }>`SELECT org FROM loom.change_log UNION SELECT org FROM loom.shape_handle`.execute(
      database.reader,
    )
    for (const { org } of rows) {
      if (signal.aborted) return 'done'
      if (org === '*') continue
      await fanOut(database, new Map(Object.entries(SERVED)), org)
      await database.transaction((tx) => compactChanges(tx, org, before))
      await endWorn(parts, org)
    }
    await database.transaction((tx) => compactShared(tx, before))
    return 'done'
  },
}

async function endWorn({ database, clock }: EngineParts, org: string): Promise<void> {
  const now = clock()
  const { rows } = await sql<{ handle: string }>`SELECT h.handle FROM loom.shape_handle h WHERE h.org = ${org} AND h.gone_at IS NULL
    AND (h.read_at < ${new Date(now - UNREAD_MS)} OR h.created_at < ${new Date(now - OLDEST_MS)}
      OR h.entries > ${MOST_ENTRIES} OR h.bytes > ${MOST_BYTES})`.execute(database.reader)
  if (rows.length === 0) return
  await database.transaction(async (tx) => {
    await lockShapes(tx, database.kind, org)
    await endHandles(
      tx,
      org,
      rows.map((row) => row.handle),
      new Date(now),
    )
  })
}
