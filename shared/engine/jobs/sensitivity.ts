import { sql } from 'kysely'
import type { Sensitivity } from '../../contract/common.ts'
import { parseJson } from '../../contract/json.ts'
import { valueText } from '../../domain/claim/claim-text.ts'
import type { Json } from '../../domain/claim/json.ts'
import { DETECTOR_VERSION, detectSensitivity } from '../../domain/sensitivity/detect.ts'
import type { EngineParts } from '../parts.ts'
import { replaceVectors } from '../store/attachments.ts'
import { headById, lockKeys, type Head } from '../store/memories.ts'
import { closePairsOf } from '../store/pairs.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import { reviseRow } from '../write/revise-row.ts'
import { contentOfHead, listExcerpt } from '../write/content.ts'
import { embedLater } from '../write/embed.ts'
import { windowExpiry } from '../write/expiry.ts'
import { detectsLevels, withTagFloor } from '../write/sensitivity.ts'
import { noteText, type Job, type JobNotes } from './job.ts'
import { movePiece, nextPiece } from './queue.ts'
import { isOfServer, workerWrite } from './worker-write.ts'

export const SENSITIVITY = 'sensitivity'
const OP = 'worker:sensitivity'
const BATCH = 200
const DAY_MS = 24 * 3600 * 1000

interface Place {
  readonly org: string
  readonly id: string
}

async function levelOf(head: Head, parts: EngineParts): Promise<Sensitivity> {
  const settings = await parts.settings.get(parts.database.reader, head.org, head.namespace)
  const detects = detectsLevels(settings, parts.config)
  const level = detects ? detectSensitivity(valueText(parseJson(head.value ?? 'null') as Json)) : (head.sensitivity as Sensitivity)
  return withTagFloor(level, head.tags, settings)
}

/** Another level: a version, and a row that is high now loses its vectors and what was judged of it. */
async function relabel(parts: EngineParts, seen: Head, level: Sensitivity): Promise<void> {
  const settings = await parts.settings.get(parts.database.reader, seen.org, seen.namespace)
  await workerWrite(parts, SENSITIVITY, seen, async (context) => {
    const { tx } = context
    await lockKeys(tx, parts.database.kind, [`${seen.org}/${seen.namespace}/${seen.memory_key}`])
    const head = await headById(tx, seen.org, seen.memory_id)
    if (head?.version !== seen.version) return
    const content = contentOfHead(head)
    if (level === 'high') {
      await replaceVectors(tx, head.org, head.memory_id, null, false)
      await closePairsOf(tx, head.org, head.memory_id)
    }
    const changes: Partial<Head> = {
      sensitivity: level,
      excerpt: listExcerpt(content, level),
      canonical_sha256: level === 'high' ? '' : content.canonicalSha256,
      ...(level === 'high' && { conflict_verdict: '', ...(head.status === 'conflicted' && { status: 'active' }) }),
      ...windowExpiry(head, settings, level, head.updated_at),
    }
    await reviseRow(head, changes, OP, context)
    if (head.sensitivity === 'high') context.afterCommit(() => embedLater(head, parts))
  })
}

/** Looks at one batch of live rows whose level nobody stated; answers where to go on, or null at the end. */
async function sweep(
  parts: EngineParts,
  signal: AbortSignal,
  after: Place,
  within: { org: string; namespace: string } | null,
): Promise<Place | null> {
  const { rows } = await sql<Head>`SELECT * FROM loom.memory
    WHERE (org, memory_id) > (${after.org}, ${after.id}) AND NOT sensitivity_stated AND erased_by = '' AND value IS NOT NULL AND content_sha256 <> ${ANONYMIZED_SHA256}
      AND status IN ('active', 'conflicted', 'duplicate')
      AND (${within?.org ?? null}::text IS NULL OR (org = ${within?.org ?? null} AND namespace = ${within?.namespace ?? null}))
    ORDER BY org, memory_id LIMIT ${BATCH}`.execute(parts.database.reader)
  for (const row of rows) {
    if (signal.aborted) return null
    if (isOfServer(parts, row.org)) continue
    const level = await levelOf(row, parts)
    if (level !== row.sensitivity) await relabel(parts, row, level)
  }
  const last = rows.at(-1)
  return rows.length === BATCH && last ? { org: last.org, id: last.memory_id } : null
}

const placeOf = (notes: JobNotes): Place => ({ org: noteText(notes, 'org'), id: noteText(notes, 'id') })

/**
 * Detects again what rows hold: all rows once a day and once when the detectors change, those of a namespace when a
 * tag's policy does.
 */
export const sensitivity: Job = {
  name: SENSITIVITY,
  everyMs: 60_000,
  async run(parts, signal, state) {
    const now = new Date(parts.clock())
    const piece = await nextPiece(parts.database.reader, SENSITIVITY)
    if (piece) {
      parts.settings.forget(piece.org, piece.namespace)
      const next = await sweep(parts, signal, placeOf(piece.notes), piece)
      if (signal.aborted) return 'done'
      await parts.database.transaction((tx) => movePiece(tx, piece, next ? { org: next.org, id: next.id } : null, now))
      return 'again'
    }
    const { notes } = state
    const underWay = notes['id'] !== undefined && notes['detector'] === DETECTOR_VERSION
    const isDue = notes['detector'] !== DETECTOR_VERSION || now.getTime() - Number(notes['swept'] ?? 0) >= DAY_MS
    if (!underWay && !isDue) return 'done'
    const next = await sweep(parts, signal, underWay ? placeOf(notes) : { org: '', id: '' }, null)
    if (signal.aborted) return 'done'
    const kept = { detector: DETECTOR_VERSION, swept: Number(notes['swept'] ?? 0) }
    await state.save(next ? { ...kept, org: next.org, id: next.id } : { ...kept, swept: now.getTime() })
    return next ? 'again' : 'done'
  },
}
