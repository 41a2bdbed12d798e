import { sql } from 'kysely'
import { LoomError } from '../../../contract/errors.ts'
import { parseJson } from '../../../contract/json.ts'
import type { Json } from '../../../domain/claim/json.ts'
import type { Queryable } from '../../db/database.ts'
import type { PrepareContext, WriteContext } from '../../handler.ts'
import { replaceChunks, replaceVectors, type Vectors } from '../../store/attachments.ts'
import { headById, type Head } from '../../store/memories.ts'
import { isOfVersions } from '../../store/pair-sides.ts'
import { markStale, reopenPairs } from '../../store/pairs.ts'
import { RESTORABLE_MS } from '../../store/row-view.ts'
import { moveCountersBack } from '../../store/usage.ts'
import { countBlacklistHit, passBlacklist } from '../blacklist.ts'
import { contentOfHead, type Content } from '../content.ts'
import { embedContent, isEmbedded } from '../embed.ts'
import { reviseRow } from '../revise-row.ts'
import { settledAnswer, type SettleAnswer } from './answer.ts'
import type { FoundPair } from './find-pair.ts'
import { readUndo, type Touched } from './undo-record.ts'

/** Vectors of a merged row's former value. */
export interface AssessedReopen {
  readonly vectors: Vectors | null
}

async function versionBefore(db: Queryable, org: string, { memoryId, before }: Touched) {
  return db
    .selectFrom('memory_version')
    .selectAll()
    .where('org', '=', org)
    .where('memory_id', '=', memoryId)
    .where('version', '=', before)
    .where('erased_by', '=', sql.lit(''))
    .executeTakeFirst()
}

const contentAt = (row: { memory_key: string; value: string | null }): Content => contentOfHead(row)

/** The former value of a merged row is embedded again, before the transaction. */
export async function assessReopen({ pair, peer }: FoundPair, context: PrepareContext): Promise<AssessedReopen | null> {
  if (pair.state !== 'settled' || pair.undo === '') return null
  const { touched, mergedSha256 } = readUndo(pair.undo)
  const merged = touched.find((row) => mergedSha256 !== '' && row.memoryId === peer.memory_id)
  const former = merged && (await versionBefore(context.db, peer.org, merged))
  if (!former || !isEmbedded(former.memory_type, former.sensitivity)) return { vectors: null }
  return { vectors: await embedContent(contentAt(former), context) }
}

const tooLate = (message: string, head: Head | null): LoomError =>
  new LoomError('PRECONDITION_FAILED', message, { current_sha256: head?.content_sha256 ?? '' })

/** A row goes back to the version before, guards included; all but version and time of writing are as they were. */
async function putBack(row: Touched, org: string, assessed: AssessedReopen | null, op: string, context: WriteContext): Promise<Head> {
  const head = await headById(context.tx, org, row.memoryId)
  if (!head || head.version !== row.after)
    throw tooLate(`${head?.memory_key ?? 'A row of the pair'} was written since, and stays as it is.`, head)
  const former = await versionBefore(context.tx, org, row)
  if (!former) throw tooLate(`The former version of ${head.memory_key} is gone.`, head)
  const { op: _op, lost: _lost, retired_cause: _a, retired_reason: _b, retired_confidence: _c, retired_by_version: _d, ...columns } = former
  if (head.status === 'tombstoned') {
    await passBlacklist(context.tx, org, head.namespace, parseJson(former.value ?? 'null') as Json, (id, patternOrg) =>
      context.afterRollback((after) => countBlacklistHit(after, patternOrg, id, context.now)),
    )
  }
  if (former.content_sha256 !== head.content_sha256) {
    await replaceVectors(context.tx, org, row.memoryId, assessed?.vectors ?? null, false)
    await replaceChunks(context.tx, org, row.memoryId, contentAt(former).chunks, head.chunks)
  }
  const { updated_at: _at, server_recorded_at: _recorded, erasure_seq: _seq, ...kept } = columns
  return reviseRow(head, { ...kept, ...row.guards }, op, context)
}

/**
 * Puts back what a settlement changed: the side that went returns, statuses, a merged value and moved counters go back,
 * and the pair is open again.
 * @throws LoomError PRECONDITION_FAILED when a row was written since, or the 14 days are over
 */
export async function reopenPair(
  found: FoundPair,
  assessed: AssessedReopen | null,
  call: { readonly op: string; readonly dryRun: boolean },
  context: WriteContext,
): Promise<SettleAnswer> {
  const { pair } = found
  const age = context.now.getTime() - (pair.settled_at?.getTime() ?? 0)
  if (age > RESTORABLE_MS || pair.undo === '') throw tooLate('This was settled more than 14 days ago, and stays settled.', found.row)
  const record = readUndo(pair.undo)
  const back = new Map<string, Head>()
  for (const row of record.touched) {
    if (!call.dryRun) back.set(row.memoryId, await putBack(row, pair.org, assessed, call.op, context))
    else {
      const head = await headById(context.tx, pair.org, row.memoryId)
      if (!head || head.version !== row.after) throw tooLate('A row of the pair was written since, and stays as it is.', head)
    }
  }
  if (!call.dryRun) {
    if (record.moved) await moveCountersBack(context.tx, pair.org, record.moved)
    await markStale(context.tx, pair.org, record.opened)
    await reopenPairs(context.tx, pair.org, [pair.pair_id], 'settled')
    await reopenPairs(context.tx, pair.org, record.staled, 'stale')
  }
  const sides = isOfVersions(pair) ? [found.row] : [found.row, found.peer]
  const kept = sides.map((side) => back.get(side.memory_id) ?? side)
  return { ...settledAnswer(found, { kept, dead: null, left: 0 }, call), undo: null }
}
