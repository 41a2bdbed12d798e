import { v7 } from 'uuid'
import type { Settlement } from '../../domain/verdict/settle.ts'
import { eventDate } from '../../domain/claim/event-date.ts'
import { UNGUARDED } from '../db/columns.ts'
import { numberIn } from '../erasure/numbers.ts'
import type { WriteContext } from '../handler.ts'
import type { Identity } from '../identity.ts'
import { indexedRowOf } from '../index/indexed-row.ts'
import { replaceChunks, replaceTriples, replaceVectors, type Vectors } from '../store/attachments.ts'
import { memoryAudit, writeAudit } from '../store/audit.ts'
import { writeVersion, type Head } from '../store/memories.ts'
import { touchNamespace } from '../store/namespaces.ts'
import { madeAt, provenanceOf } from '../store/provenance.ts'
import { closePairsOf } from '../store/pairs.ts'
import { listExcerpt, type Content } from './content.ts'
import type { Judged } from './judging.ts'
import { openSettledPairs } from './open-pairs.ts'
import type { Target } from './plan.ts'
import { supersede } from './retire.ts'
import { embedLater, isEmbedded } from './embed.ts'
import { isHeld } from './state.ts'

export interface Claim {
  readonly op: string
  /** Where the row lies: the caller's identity as filled, or that of the row a key resolved to. */
  readonly identity: Identity
  readonly content: Content
  readonly target: Target
  readonly head: Head | null
  readonly vectors: Vectors | null
  readonly settlement: Settlement
  readonly judged: readonly Judged[]
  /** False: no check ran, and the stored verdict is "". */
  readonly checked: boolean
  /** The text is the head's own, and not said now: an erasure that covers that one covers this. */
  readonly keepsText?: boolean
  /** The claim is stored on trial. */
  readonly proposed?: boolean
  /** See WriteMode. */
  readonly unseen?: boolean
}

/** The head that a judged claim becomes, with the next version of its key. */
export function headOf(claim: Claim, context: WriteContext): Head {
  const { content, target, head, settlement } = claim
  const { now, parts } = context
  const live = head !== null && isHeld(head, now) ? head : null
  const pushed = provenanceOf(context.tx)
  const at = madeAt(context.tx, { ...claim.identity, memory_key: content.key }, now)
  const verdict = pushed?.isContested ? 'conflict' : settlement.verdict
  const status = claim.proposed ? 'proposed' : pushed?.isContested ? 'conflicted' : (settlement.status ?? 'active')
  const holder = verdict === 'duplicate' && !claim.proposed ? settlement.holder : null
  const told = eventDate(content.claim, at)
  const { retyped_from: _retyped, relations: _relations, ...fields } = target
  return {
    ...UNGUARDED,
    ...(live && {
      lock_mode: live.lock_mode,
      lock_reason: live.lock_reason,
      locked_by: live.locked_by,
      lock_until: live.lock_until,
      lock_actor: live.lock_actor,
      locked_at: live.locked_at,
      verified_by: live.verified_by,
      verified_at: live.verified_at,
      verified_sha256: live.verified_sha256,
    }),
    org: claim.identity.org,
    namespace: claim.identity.namespace,
    agent: claim.identity.agent,
    user_id: claim.identity.user_id,
    session_id: claim.identity.session_id,
    ...fields,
    tags: [...target.tags],
    entities: [...target.entities],
    files: [...target.files],
    memory_key: content.key,
    memory_id: head?.memory_id ?? pushed?.newId ?? v7(),
    version: parts.versions.next(head?.version ?? 0n),
    value: content.compact,
    excerpt: listExcerpt(content, target.sensitivity),
    status,
    conflict_verdict: claim.checked ? verdict : '',
    content_sha256: content.sha256,
    canonical_sha256: target.sensitivity === 'high' ? '' : content.canonicalSha256,
    temporal_anchor: told?.at ?? null,
    temporal_confidence: told?.confidence ?? null,
    actor: context.actor,
    superseded_by: '',
    superseded_at: null,
    duplicate_of: holder?.memoryId ?? '',
    canonical_key: holder?.memoryKey ?? '',
    invalid_at: null,
    tombstoned_at: null,
    redacted: false,
    chunks: content.chunks.length,
    created_at: live?.created_at ?? at,
    updated_at: at,
    server_recorded_at: parts.host === 'server' ? now : null,
    provisional: false,
    erasure_seq: claim.keepsText && head ? head.erasure_seq : numberIn(context.tx),
    erased_by: '',
    rev: (head?.rev ?? 0n) + 1n,
  }
}

/** Stores a judged claim: head and version, vectors, chunks, triples, pairs, retirements and audit, in the transaction. */
export async function storeClaim(claim: Claim, context: WriteContext): Promise<Head> {
  const { tx, now, actor, parts } = context
  const { content, target, settlement, head: before } = claim
  const head = headOf(claim, context)
  const isNew = before === null
  const vectors = isEmbedded(target.memory_type, target.sensitivity) ? claim.vectors : null
  if (isNew && !parts.settings.exists(head.org, head.namespace)) {
    await touchNamespace(tx, head.org, head.namespace, now)
    context.afterCommit(() => parts.settings.sawNamespace(head.org, head.namespace))
  }
  await writeVersion(tx, head, claim.op)
  await replaceVectors(tx, head.org, head.memory_id, vectors, isNew)
  await replaceChunks(tx, head.org, head.memory_id, content.chunks, before?.chunks ?? 0)
  await replaceTriples(tx, head.org, head.memory_id, target.relations, isNew)
  if (!isNew && (await closePairsOf(tx, head.org, head.memory_id))) context.afterCommit(() => parts.wake('conflict_resolver'))
  await openSettledPairs(settlement, claim.judged, head, context, claim.proposed ? 'proposal' : 'write')
  const judgedById = new Map(claim.judged.map((judged) => [judged.head.memory_id, judged]))
  for (const peer of settlement.retires) {
    const judged = judgedById.get(peer.memoryId)
    if (judged)
      await supersede(judged.head, { head, reason: judged.judgement.reason, confidence: judged.judgement.confidence }, claim.op, context)
  }
  await writeAudit(tx, [memoryAudit(head, { op: claim.op, at: now, actor, requestId: context.caller.requestId })])
  context.afterCommit(() => {
    const row = indexedRowOf(head, content, vectors)
    if (row) parts.index.upsert(row)
    else parts.index.remove(head.memory_id)
    if (vectors !== null && vectors.key === null && content.keyIndexed) embedLater(head, parts)
  })
  context.changed({ op: claim.op, kind: 'stored', before, after: head, unseen: claim.unseen === true })
  context.emit({ type: 'memory.changed', org: head.org, namespace: head.namespace, memory_key: head.memory_key, memory_id: head.memory_id })
  return head
}
