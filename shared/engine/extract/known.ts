import { sql } from 'kysely'
import { firstCharacters } from '../../domain/claim/claim-text.ts'
import { wordOverlap } from '../../domain/judge/overlap.ts'
import type { PrepareContext } from '../handler.ts'
import { boundOf, withinBound } from '../identity.ts'
import { claimOfHead } from '../store/head-claim.ts'
import { headsById, type Head } from '../store/memories.ts'
import { analysisOf, type Content } from '../write/content.ts'
import { cosine } from '../write/cosine.ts'
import { vectorsOf } from '../write/embed.ts'
import { levelled } from '../write/judging.ts'
import { peerClaims } from '../write/peer-claims.ts'
import { isLive } from '../write/state.ts'
import { judgeMet } from '../write/weighing.ts'

/** What memory holds that an extraction has to know of. */

export interface KnownFact {
  readonly head: Head
  readonly claim: string
}

const MOST_KNOWN = 20
/** What a part of a transcript is about, for the search for known facts. */
const TOPIC_CHARACTERS = 4000

const claimOf = (head: Head): KnownFact => ({ head, claim: claimOfHead(head) })

/** Live facts near a text that its writer may read and whose user is theirs. */
export async function knownNear(text: string, context: PrepareContext): Promise<KnownFact[]> {
  const { parts, identity, caller, db, now } = context
  const { org, namespace, user_id: userId } = identity
  const topic = firstCharacters(text, TOPIC_CHARACTERS)
  await parts.follower.catchUp(org)
  const made = await vectorsOf([topic], context)
  const bound = boundOf(caller)
  const near = parts.index.peers({
    org,
    namespace,
    text: topic,
    vector: made?.vectors[0] ?? null,
    limit: MOST_KNOWN,
    accept: (doc) =>
      (doc.status === 'active' || doc.status === 'conflicted') &&
      (doc.userId === '-' || doc.userId === userId) &&
      (bound.session_id === undefined || doc.sessionId === bound.session_id) &&
      (bound.user_id === undefined || doc.userId === bound.user_id),
  })
  const heads = await headsById(
    db,
    org,
    near.map((peer) => peer.memoryId),
  )
  return near.flatMap(({ memoryId }) => {
    const head = heads.get(memoryId)
    return head && isLive(head, now) && head.sensitivity !== 'high' ? [claimOf(head)] : []
  })
}

/** Live facts under these keys that the caller may read. */
export async function factsUnder(keys: readonly string[], { db, identity, caller, now }: PrepareContext): Promise<KnownFact[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m WHERE m.org = ${identity.org} AND m.namespace = ${identity.namespace}
    AND m.memory_key = any(${[...keys]}::text[]) AND m.erased_by = ''`.execute(db)
  return rows.filter((head) => isLive(head, now) && withinBound(caller, head) && head.sensitivity !== 'high').map(claimOf)
}

const MOST_REJECTED = 32

/** Facts of the namespace that were marked wrong: those of the same text, and the nearest ones, else the newest. */
export async function rejectedNear(content: Content, vector: Float32Array | null, context: PrepareContext): Promise<KnownFact[]> {
  const { db, identity, parts } = context
  const { org, namespace, user_id } = identity
  const model = parts.models.embedder?.id ?? ''
  const near =
    vector === null
      ? sql`m.updated_at DESC`
      : sql`(SELECT min(e.vec <=> ${`[${vector.join(',')}]`}::halfvec) FROM loom.memory_embedding e
          WHERE e.org = m.org AND e.memory_id = m.memory_id AND e.model = ${model} AND e.axis = 'value') ASC NULLS LAST, m.updated_at DESC`
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m WHERE m.org = ${org} AND m.namespace = ${namespace}
    AND m.status = 'rejected' AND m.erased_by = '' AND m.value IS NOT NULL AND NOT m.redacted AND m.user_id IN ('-', ${user_id})
    ORDER BY (m.canonical_sha256 = ${content.canonicalSha256}) DESC, ${near} LIMIT ${MOST_REJECTED}`.execute(db)
  return rows.map(claimOf)
}

/** The fact says again what one of these says: the same text, or the same thing in other words. */
export async function repeats(
  content: Content,
  vector: Float32Array | null,
  facts: readonly KnownFact[],
  context: PrepareContext,
): Promise<boolean> {
  if (facts.length === 0) return false
  if (facts.some(({ head }) => head.content_sha256 === content.sha256 || head.canonical_sha256 === content.canonicalSha256)) return true
  const { org, namespace } = context.identity
  const { conflict_threshold: threshold } = await context.parts.settings.get(context.db, org, namespace)
  const own = analysisOf(content)
  const made =
    vector === null
      ? null
      : await vectorsOf(
          facts.map(({ claim }) => firstCharacters(claim, 1200)),
          context,
        )
  const claims = await peerClaims(
    context.db,
    org,
    facts.map(({ head }) => ({ memoryId: head.memory_id, version: head.version })),
  )
  const met = facts.flatMap(({ head }, at) => {
    const read = claims.get(head.memory_id)
    if (!read) return []
    const similarity = Math.min(1, Math.max(cosine(vector, made?.vectors[at]), wordOverlap(own, read.analysis)))
    return similarity >= threshold ? [{ ...read, similarity }] : []
  })
  return (await judgeMet(content.claim, own, met, context)).some(({ judgement }) => {
    const { finding, confidence } = levelled(judgement, false)
    return finding === 'restates' && confidence >= context.parts.config.verdictMinConfidence
  })
}
