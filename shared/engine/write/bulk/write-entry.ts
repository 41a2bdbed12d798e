import { judge } from '../../../domain/judge/judge.ts'
import type { PrepareContext } from '../../handler.ts'
import { activeWithCanonical, headAt, headsById } from '../../store/memories.ts'
import type { Vectors } from '../../store/attachments.ts'
import { transact } from '../../transact.ts'
import { analysisOf } from '../content.ts'
import { embedValue } from '../embed.ts'
import { UNJUDGED, type Assessment } from '../judging.ts'
import type { ClaimInput } from '../plan.ts'
import { peerClaims } from '../peer-claims.ts'
import { assessClaim, putClaim, type WriteMode, type Written } from '../set-claim.ts'
import { isLive } from '../state.ts'
import type { Entry } from './entries.ts'
import { needsVectors } from './vectors-ahead.ts'

/** Past the cap nothing is judged, but equal text under another live key of the same identity is still merged (BLK008). */
async function equalOfIdentity({ identity, content }: Entry, context: PrepareContext): Promise<Assessment> {
  const ids = await activeWithCanonical(context.db, identity.org, identity.namespace, content.canonicalSha256)
  if (ids.length === 0) return UNJUDGED
  const heads = [...(await headsById(context.db, identity.org, ids)).values()].filter(
    (head) =>
      head.agent === identity.agent &&
      head.user_id === identity.user_id &&
      head.session_id === identity.session_id &&
      head.memory_key !== content.key,
  )
  const claims = await peerClaims(
    context.db,
    identity.org,
    heads.map((head) => ({ memoryId: head.memory_id, version: head.version })),
  )
  const own = analysisOf(content)
  const judged = heads.flatMap((head) => {
    const read = claims.get(head.memory_id)
    if (!read) return []
    const judgement = judge(own, read.analysis, { similarity: 1, relation: null })
    return judgement.finding === 'same' ? [{ head, claim: read.claim, similarity: 1, judgement }] : []
  })
  return { judged }
}

/** An entry that looked like a repetition when the vectors were made, and no longer is one, gets its own now. */
async function lateVectors({ identity, content }: Entry, context: PrepareContext): Promise<Vectors | null> {
  const head = await headAt(context.db, identity, content.key)
  const repeats = head !== null && isLive(head, context.now) && head.value === content.compact
  return repeats || context.degraded.has('embedder') ? null : embedValue(content, context)
}

/** Whose entries are written, and how they differ from memory.set's. */
export interface EntryMode extends WriteMode {
  readonly op: 'memory.bulk_set' | 'memory.import' | 'memory.import_curated' | 'memory.set_from_messages' | 'memory.copy_to'
  /** What the server is told of it, where that is not what is written here. */
  readonly pushed?: (input: ClaimInput) => ClaimInput
  /** What a claim would meet besides, of entries that a dry run did not store. */
  readonly rehearsed?: (assessment: Assessment, vectors: Vectors | null, context: PrepareContext) => Promise<Assessment>
}

/**
 * Writes one entry as memory.set would, in a transaction of its own, holding the namespace as memory.set does.
 * @throws LoomError as memory.set
 */
export async function writeEntry(entry: Entry, made: Vectors | null, mode: EntryMode, call: PrepareContext): Promise<Written> {
  const { identity, input, content } = entry
  const replay = { op: 'memory.set', via: mode.op, args: { ...(mode.pushed?.(input) ?? input) } }
  const context = { ...call, identity, given: identity, now: new Date(call.parts.clock()), replay }
  return call.parts.exclusive.run(`${identity.org}/${identity.namespace}`, async () => {
    const vectors = made ?? (needsVectors(entry) ? await lateVectors(entry, context) : null)
    const prepared = { content, vectors }
    const stored = mode.checked ? await assessClaim(input, prepared, context) : await equalOfIdentity(entry, context)
    const assessment = mode.rehearsed ? await mode.rehearsed(stored, vectors, context) : stored
    return transact(context, (write) => putClaim(mode.op, input, write, prepared, assessment, mode))
  })
}
