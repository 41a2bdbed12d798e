import { sql } from 'kysely'
import { extractEntities } from '../../domain/claim/entities.ts'
import type { EngineParts } from '../parts.ts'
import { claimOfHead } from '../store/head-claim.ts'
import { headById, type Head } from '../store/memories.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import { announce } from '../write/revise-row.ts'
import { noteText, type Job } from './job.ts'
import { isOfServer, workerWrite } from './worker-write.ts'

const NAME = 'entity_extractor'
const BATCH = 200
/** Versions are made before they commit: what is this young is looked at again. */
const OVERLAP_NS = 120_000_000_000n
const NS_PER_MS = 1_000_000n

/** No version, no event, no audit row: only the row's entities, and those of the version that it is. */
export async function fillEntities(parts: EngineParts, seen: Head, entities: string[]): Promise<void> {
  await workerWrite(parts, NAME, seen, async (context) => {
    const { tx } = context
    const head = await headById(tx, seen.org, seen.memory_id)
    if (head?.version !== seen.version || head.entities.length > 0) return
    await tx
      .updateTable('memory')
      .set({ entities, rev: head.rev + 1n })
      .where('org', '=', head.org)
      .where('memory_id', '=', head.memory_id)
      .execute()
    await tx
      .updateTable('memory_version')
      .set({ entities })
      .where('org', '=', head.org)
      .where('memory_id', '=', head.memory_id)
      .where('version', '=', head.version)
      .execute()
    await announce({ ...head, entities }, context)
  })
}

/** Fills in the entities of rows whose writer named none (TAG006), in the order in which they were written. */
export const entityExtractor: Job = {
  name: NAME,
  everyMs: 30_000,
  async run(parts, signal, state) {
    const after = BigInt(noteText(state.notes, 'after') || '0')
    const { rows } = await sql<Head>`SELECT * FROM loom.memory
      WHERE version > ${after} AND entities = '{}' AND erased_by = '' AND sensitivity <> 'high' AND value IS NOT NULL
        AND status IN ('active', 'conflicted', 'duplicate', 'superseded') AND content_sha256 <> ${ANONYMIZED_SHA256}
      ORDER BY version LIMIT ${BATCH}`.execute(parts.database.reader)
    for (const row of rows) {
      if (signal.aborted) return 'done'
      if (isOfServer(parts, row.org)) continue
      const entities = extractEntities(claimOfHead(row))
      if (entities.length > 0) await fillEntities(parts, row, entities)
    }
    const last = rows.at(-1)
    const settled = BigInt(parts.clock()) * NS_PER_MS - OVERLAP_NS
    const full = rows.length === BATCH
    // In the middle of a backlog it goes on after the batch; at its end it comes back to what is young.
    const next = full && last ? last.version : last && last.version < settled ? last.version : after > settled ? settled : after
    if (next !== after) await state.save({ after: next.toString() })
    return full ? 'again' : 'done'
  },
}
