import type { EngineParts } from '../parts.ts'
import type { PrepareContext } from '../handler.ts'
import { JUDGE_VERSION } from '../../domain/judge/version.ts'
import { headById, headsById, lockKeys, type Head } from '../store/memories.ts'
import { changedPairs, orphanedCanonicals, unfoundedFlags, writtenSince } from '../store/due-pairs.ts'
import { indexedRowsOf } from '../store/index-rows.ts'
import { markStale, openPairs, type PairRow } from '../store/pairs.ts'
import { contentOfHead } from '../write/content.ts'
import { assess } from '../write/judging.ts'
import { reviseRow } from '../write/revise-row.ts'
import { landFinding, RESOLVER_OP } from '../write/settling/land.ts'
import { adoptOrphans } from '../write/settling/orphans.ts'
import { relateAgain } from '../write/settling/relate-again.ts'
import { isLive, STANDING } from '../write/state.ts'
import { noteText, type Job } from './job.ts'
import { isOfServer, workerCaller, workerWrite } from './worker-write.ts'

const NAME = 'conflict_resolver'
const BATCH = 100
/** A row that was judged when it was written may only have missed what was written in the same moment. */
const MOMENT_MS = 120_000
/** Processes on one Postgres commit out of the order of their versions. */
const OVERLAP_NS = 120n * 1_000_000_000n

const nameOf = (row: { readonly org: string; readonly namespace: string }): string => `${row.org}/${row.namespace}`

function contextFor(parts: EngineParts, head: Head): PrepareContext {
  const { org, namespace, agent, user_id, session_id } = head
  const identity = { org, namespace, agent, user_id, session_id }
  const now = new Date(parts.clock())
  return {
    caller: workerCaller(NAME),
    actor: `worker:${NAME}`,
    identity,
    given: {},
    now,
    parts,
    degraded: new Set(),
    db: parts.database.reader,
  }
}

/** Judges a row against what stands beside it, and lands what was not seen when it was written. */
async function judgeAgain(head: Head, parts: EngineParts): Promise<void> {
  const context = contextFor(parts, head)
  if (!isLive(head, context.now)) return
  const settings = await parts.settings.get(parts.database.reader, head.org, head.namespace)
  const [indexed] = await indexedRowsOf(parts.database.reader, head.org, [head], parts.models.embedder?.id ?? null)
  const { judged } = await assess(
    {
      org: head.org,
      namespace: head.namespace,
      content: contentOfHead(head),
      vector: indexed?.valueVector ?? null,
      memoryType: head.memory_type,
      userId: head.user_id,
      memoryId: head.memory_id,
      ...(head.conflict_verdict !== '' && { peersSince: head.updated_at.getTime() - MOMENT_MS }),
    },
    context,
  )
  const landing = { policy: settings.default_conflict_policy, minConfidence: parts.config.verdictMinConfidence }
  const telling = judged.filter(
    ({ judgement: { finding, confidence } }) =>
      finding === 'contradicts' || (finding === 'refines' && landing.policy === 'newest_wins' && confidence >= landing.minConfidence),
  )
  for (const peer of telling) {
    await parts.exclusive.run(nameOf(head), () => workerWrite(parts, NAME, head, (write) => landFinding(head, peer, landing, write)))
  }
}

/**
 * Writes of one process take turns in a namespace, and each sees the ones before: on PGlite only rows that no verdict was
 * sought for can have missed anything. Several processes on one Postgres can write past each other.
 */
function mayHaveMissed(head: Head, parts: EngineParts): boolean {
  return parts.database.kind === 'postgres' || head.conflict_verdict === ''
}

const STILL: Readonly<Record<string, readonly string[]>> = { conflict: ['contradicts'], duplicate: ['same', 'restates', 'refines'] }

/** A pair of which a side changed: judged again where both live, and stale where the judge no longer relates them. */
async function lookAgain(pair: PairRow, parts: EngineParts): Promise<void> {
  const heads = await headsById(parts.database.reader, pair.org, [pair.row_id, pair.peer_id])
  const [row, peer] = [heads.get(pair.row_id), heads.get(pair.peer_id)]
  const now = new Date(parts.clock())
  const place = { org: pair.org, namespace: pair.namespace, agent: '', user_id: '-', session_id: '-' }
  // Two versions of one row are not judged again: a head that moved on leaves their pair behind.
  if (!row || !peer || !isLive(row, now) || !isLive(peer, now) || pair.peer_version !== null) {
    await workerWrite(parts, NAME, row ?? place, (write) => markStale(write.tx, pair.org, [pair.pair_id]))
    return
  }
  const { conflict_threshold: threshold } = await parts.settings.get(parts.database.reader, pair.org, pair.namespace)
  const { judgement, similarity } = await relateAgain(row, peer, parts)
  const holds = similarity >= threshold && STILL[pair.kind]?.includes(judgement.finding) === true
  await parts.exclusive.run(nameOf(pair), () =>
    workerWrite(parts, NAME, row, async (write) => {
      await lockKeys(
        write.tx,
        parts.database.kind,
        [row, peer].map((head) => `${head.org}/${head.namespace}/${head.memory_key}`),
      )
      const still = await headsById(write.tx, pair.org, [row.memory_id, peer.memory_id])
      if (still.get(row.memory_id)?.version !== row.version || still.get(peer.memory_id)?.version !== peer.version) return
      if (!holds) {
        await markStale(write.tx, pair.org, [pair.pair_id])
        // What it repeated says something else now: the row is the only one that still says it.
        if (pair.kind === 'duplicate' && row.status === 'duplicate' && row.duplicate_of === peer.memory_id)
          await reviseRow(row, STANDING, RESOLVER_OP, write)
        return
      }
      const { org, namespace, row_id: rowId, peer_id: peerId } = pair
      const { finding: relation, confidence, reason } = judgement
      const seen = {
        relation,
        similarity,
        reason,
        confidence,
        unsure: confidence < parts.config.verdictMinConfidence,
        judgeVersion: JUDGE_VERSION,
      }
      const shas = { rowSha256: row.content_sha256, peerSha256: peer.content_sha256 }
      const kind = pair.kind as 'conflict' | 'duplicate'
      await openPairs(write.tx, [{ org, namespace, rowId, peerId, kind, ...seen, ...shas, at: pair.at, origin: pair.origin as 'write' }])
    }),
  )
}

/** Nothing open stands against the row any more. */
async function clearFlag(seen: Pick<Head, 'org' | 'memory_id'>, parts: EngineParts): Promise<void> {
  const head = await headById(parts.database.reader, seen.org, seen.memory_id)
  if (!head) return
  await parts.exclusive.run(nameOf(head), () =>
    workerWrite(parts, NAME, head, async (write) => {
      await lockKeys(write.tx, parts.database.kind, [`${head.org}/${head.namespace}/${head.memory_key}`])
      const now = await headById(write.tx, head.org, head.memory_id)
      if (now?.version === head.version && now.status === 'conflicted') await reviseRow(now, { status: 'active' }, RESOLVER_OP, write)
    }),
  )
}

/**
 * One pass of the conflict resolver: pairs whose side changed, flags that nothing founds any more, duplicates that lost
 * their canonical row, then the rows written after version `since`. Each change is a transaction that looks again.
 * Answers the version to go on from, and whether more is due.
 */
export async function resolveConflicts(parts: EngineParts, since: bigint, signal: AbortSignal): Promise<{ next: bigint; more: boolean }> {
  const { reader } = parts.database
  const now = new Date(parts.clock())
  let more = false
  const each = async <T extends { readonly org: string }>(due: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> => {
    const own = due.filter((one) => !isOfServer(parts, one.org))
    more ||= due.length === BATCH && own.length > 0
    for (const one of own) if (!signal.aborted) await work(one)
  }
  await each(await changedPairs(reader, now, BATCH), (pair) => lookAgain(pair, parts))
  await each(await unfoundedFlags(reader, now, BATCH), (row) => clearFlag(row, parts))
  await each(await orphanedCanonicals(reader, BATCH), ({ org, namespace, id }) =>
    parts.exclusive.run(nameOf({ org, namespace }), () =>
      workerWrite(parts, NAME, { org, namespace, agent: '', user_id: '-', session_id: '-' }, (write) =>
        adoptOrphans(org, id, RESOLVER_OP, write),
      ),
    ),
  )
  const written = await writtenSince(reader, since, BATCH)
  let next = since
  for (const head of written) {
    if (signal.aborted) return { next, more: true }
    if (!isOfServer(parts, head.org) && mayHaveMissed(head, parts)) await judgeAgain(head, parts)
    next = head.version
  }
  return { next, more: more || written.length === BATCH }
}

/** Every minute, and when a write changed a side of an open pair. */
export const conflictResolver: Job = {
  name: NAME,
  everyMs: 60_000,
  async run(parts, signal, state) {
    const since = BigInt(noteText(state.notes, 'version') || '0')
    const { next, more } = await resolveConflicts(parts, since, signal)
    const recent = parts.database.kind === 'postgres' ? BigInt(parts.clock()) * 1_000_000n - OVERLAP_NS : next
    const kept = next > recent && recent > since ? recent : next
    if (!signal.aborted || next !== since) await state.save({ version: kept.toString() })
    return more && !signal.aborted ? 'again' : 'done'
  },
}
