import { sql } from 'kysely'
import type { Sensitivity } from '../../contract/common.ts'
import { writeAudit } from '../store/audit.ts'
import { headById, type Head } from '../store/memories.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import { windowExpiry } from '../write/expiry.ts'
import { sameExpiry } from '../write/touch-row.ts'
import { isExpired, lockOf } from '../write/state.ts'
import { announce, auditOf } from '../write/revise-row.ts'
import type { EngineParts } from '../parts.ts'
import { noteText, type Job } from './job.ts'
import { movePiece, nextPiece } from './queue.ts'
import { isOfServer, workerWrite } from './worker-write.ts'

export const RESTAMP = 'restamp'
const BATCH = 200

/** Live rows that follow the windows of their namespace, as a condition on `loom.memory`. */
export const FOLLOWS_WINDOWS = sql<boolean>`status IN ('active', 'conflicted', 'duplicate') AND erased_by = '' AND NOT expiry_cleared
  AND (expires_at IS NULL OR expire_reason LIKE 'retention:%') AND content_sha256 <> ${ANONYMIZED_SHA256}`

/** Like memory.touch: no version, an audit row where the expiry changes, nothing under a read_only lock. */
async function restampRow(parts: EngineParts, seen: Head): Promise<void> {
  await workerWrite(parts, RESTAMP, seen, async (context) => {
    const { tx, now } = context
    const settings = await parts.settings.get(tx, seen.org, seen.namespace)
    const head = await headById(tx, seen.org, seen.memory_id)
    if (!head || head.version !== seen.version || isExpired(head, now) || lockOf(head, now)?.mode === 'read_only') return
    const expiry = windowExpiry(head, settings, head.sensitivity as Sensitivity, head.updated_at)
    if (!expiry || sameExpiry(head, expiry)) return
    await tx
      .updateTable('memory')
      .set({ ...expiry, rev: head.rev + 1n })
      .where('org', '=', head.org)
      .where('memory_id', '=', head.memory_id)
      .execute()
    await writeAudit(tx, [auditOf(head, 'worker:restamp', context)])
    await announce({ ...head, ...expiry }, context)
  })
}

/** Gives rows of a namespace whose windows changed the expiry that a write would give them, counted from their last write. */
export const restamp: Job = {
  name: RESTAMP,
  everyMs: 60_000,
  async run(parts, signal) {
    const piece = await nextPiece(parts.database.reader, RESTAMP)
    if (!piece) return 'done'
    parts.settings.forget(piece.org, piece.namespace)
    const after = noteText(piece.notes, 'after')
    const { rows } = await sql<Head>`SELECT * FROM loom.memory
      WHERE org = ${piece.org} AND namespace = ${piece.namespace} AND memory_id > ${after} AND ${FOLLOWS_WINDOWS}
      ORDER BY memory_id LIMIT ${BATCH}`.execute(parts.database.reader)
    for (const row of rows) {
      if (signal.aborted) return 'done'
      if (isOfServer(parts, row.org)) continue
      await restampRow(parts, row)
    }
    const last = rows.at(-1)
    const notes = rows.length === BATCH && last ? { after: last.memory_id } : null
    await parts.database.transaction((tx) => movePiece(tx, piece, notes, new Date(parts.clock())))
    return 'again'
  },
}
