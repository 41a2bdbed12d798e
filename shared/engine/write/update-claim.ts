import type { Output } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import { parseJson } from '../../contract/json.ts'
import type { memoryUpdate } from '../../contract/ops/memory/update.ts'
import { settle, type Settlement } from '../../domain/verdict/settle.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Queryable } from '../db/database.ts'
import type { CallContext, PrepareContext, WriteContext } from '../handler.ts'
import { reinforce, triplesOf, type Vectors } from '../store/attachments.ts'
import { lockKeys, type Head } from '../store/memories.ts'
import { countBlacklistHit, passBlacklist } from './blacklist.ts'
import { answerOf, isJudged, passPrecondition } from './claim-answer.ts'
import { contentOf, type Content } from './content.ts'
import { embedContent, isEmbedded } from './embed.ts'
import { passGuards } from './guards.ts'
import { assess, factsOf, stillStanding, UNJUDGED, type Assessment } from './judging.ts'
import { peersToSettle } from './older-of-key.ts'
import { passCharLimit, type Plan } from './plan.ts'
import { checkNamesAChange, planUpdate, type UpdateInput } from './plan-update.ts'
import { detectsLevels } from './sensitivity.ts'
import { isExpired, isLive } from './state.ts'
import { storeClaim } from './store-claim.ts'

type Answer = Output<typeof memoryUpdate>

/** Finds the head that an update is for: by key in the namespace, or by id. Null: not found. */
export type FindHead = (db: Queryable, context: CallContext) => Promise<Head | null>

export interface AssessedUpdate {
  readonly head: Head
  readonly content: Content
  readonly vectors: Vectors | null
  readonly assessment: Assessment
}

const SERVED = new Set(['active', 'conflicted', 'duplicate'])

/** An update is for a live row, or (with `revive`) for one that is only past its expiry. */
function suits(head: Head | null, input: UpdateInput, now: Date): Head | null {
  if (!head || !SERVED.has(head.status)) return null
  if (isLive(head, now)) return head
  if (isExpired(head, now) && !input.revive) {
    throw new LoomError('EXPIRED', `${head.memory_key} has expired. Send revive: true to let it live again with the correction.`, {
      memory_id: head.memory_id,
    })
  }
  return head
}

function contentFor(input: UpdateInput, head: Head, context: CallContext): Content {
  const value = input.value === undefined ? parseJson(head.value ?? 'null') : input.value
  return contentOf(head.memory_key, value as Json, context.parts.config.valueAdvisoryChars)
}

async function planFor(input: UpdateInput, content: Content, head: Head, db: Queryable, context: CallContext): Promise<Plan> {
  const settings = await context.parts.settings.get(db, head.org, head.namespace)
  const autodetect = detectsLevels(settings, context.parts.config)
  const triples = await triplesOf(db, head.org, head.memory_id)
  return planUpdate(input, content, head, triples, { kind: context.caller.claims.kind, autodetect, settings, now: context.now })
}

/** Reads, embeds and judges before the transaction. Null: there is no row to update. */
export async function assessUpdate(input: UpdateInput, find: FindHead, context: PrepareContext): Promise<AssessedUpdate | null> {
  checkNamesAChange(input)
  const head = suits(await find(context.db, context), input, context.now)
  if (!head) return null
  const content = contentFor(input, head, context)
  const plan = await planFor(input, content, head, context.db, context)
  const vectors = isEmbedded(plan.target.memory_type, plan.target.sensitivity) ? await embedContent(content, context) : null
  const skipped = plan.kind === 'restatement' || !isJudged(plan)
  const candidate = {
    org: head.org,
    namespace: head.namespace,
    content,
    vector: vectors?.value ?? null,
    memoryType: plan.target.memory_type,
    userId: head.user_id,
    memoryId: head.memory_id,
  }
  return { head, content, vectors, assessment: skipped ? UNJUDGED : await assess(candidate, context) }
}

/** What an update answers when it stores nothing. */
export function notUpdated(key: string, reason: Answer['reason'], next: string, input: UpdateInput, context: CallContext): Answer {
  return {
    updated: false,
    reason,
    memory_id: '',
    version: 0n,
    version_text: '0',
    content_sha256: '',
    status: reason === 'rejected' ? 'rejected' : 'active',
    namespace: context.identity.namespace,
    memory_key: key,
    conflict_verdict: reason === 'rejected' ? 'rejected' : '',
    peers: [],
    next,
    noop: false,
    merged_into_key: '',
    duplicate_of: '',
    retyped_from: '',
    pinned: false,
    chunks_written: 0,
    advisories: [],
    degraded: [...context.degraded],
    dry_run: input.dry_run,
  }
}

/** Corrects the row in the transaction; the checks are those of a set, but a pin lets a correction pass (T4). */
export async function updateClaim(
  op: string,
  input: UpdateInput,
  find: FindHead,
  assessed: AssessedUpdate,
  context: WriteContext,
): Promise<Answer | null> {
  const { tx, now, parts } = context
  await lockKeys(tx, parts.database.kind, [`${assessed.head.org}/${assessed.head.namespace}/${assessed.head.memory_key}`])
  const head = suits(await find(tx, context), input, now)
  if (!head || head.memory_id !== assessed.head.memory_id) return null
  const content = head.version === assessed.head.version ? assessed.content : contentFor(input, head, context)
  const plan = await planFor(input, content, head, tx, context)
  if (isLive(head, now)) passGuards(head, plan.valueChanged ? 'correct_value' : plan.expiryChanged ? 'change_expiry' : 'annotate', now)
  passCharLimit(content.text, plan.target.char_limit)
  await passBlacklist(tx, head.org, head.namespace, content.value, (id, org) =>
    context.afterRollback((after) => countBlacklistHit(after, org, id, now)),
  )
  passPrecondition(input.if_match_sha256, head)
  if (plan.kind === 'restatement') return restated(input, head, content, context)

  const { default_conflict_policy: policy } = await parts.settings.get(tx, head.org, head.namespace)
  const minConfidence = parts.config.verdictMinConfidence
  const judged = await peersToSettle(
    await stillStanding(assessed.assessment, head.org, tx),
    { identity: head, content, head, policy },
    minConfidence,
    context,
  )
  const settlement: Settlement = settle(
    judged.map((peer) => factsOf(peer, head.memory_key, now)),
    { policy, runId: input.run_id, minConfidence, storesAlways: true },
  )
  const shown = { ...answerOf(input, content, plan, settlement, judged, context), namespace: head.namespace, pinned: head.pinned }
  if (settlement.status === null) return { ...notUpdated(head.memory_key, 'rejected', shown.next, input, context), peers: shown.peers }
  const answer = { ...shown, updated: true, reason: '' as const }
  if (input.dry_run)
    return { ...answer, noop: true, memory_id: head.memory_id, version: head.version, version_text: head.version.toString() }
  const stored = await storeClaim(
    {
      op,
      identity: head,
      content,
      target: plan.target,
      head,
      vectors: assessed.vectors,
      settlement,
      judged,
      checked: isJudged(plan),
      keepsText: input.value === undefined,
    },
    context,
  )
  return {
    ...answer,
    memory_id: stored.memory_id,
    version: stored.version,
    version_text: stored.version.toString(),
    chunks_written: content.chunks.length,
  }
}

async function restated(input: UpdateInput, head: Head, content: Content, context: WriteContext): Promise<Answer> {
  if (!input.dry_run) await reinforce(context.tx, head.org, head.memory_id)
  return {
    ...notUpdated(head.memory_key, '', '', input, context),
    updated: true,
    noop: true,
    namespace: head.namespace,
    memory_id: head.memory_id,
    version: head.version,
    version_text: head.version.toString(),
    content_sha256: head.content_sha256,
    status: head.status as Answer['status'],
    conflict_verdict: head.conflict_verdict as Answer['conflict_verdict'],
    duplicate_of: head.duplicate_of,
    pinned: head.pinned,
    advisories: [...content.advisories],
  }
}
