import { settle, type Settlement } from '../../domain/verdict/settle.ts'
import { fold } from '../../domain/text/fold.ts'
import type { CallContext, PrepareContext, WriteContext } from '../handler.ts'
import { patternsBinding } from '../store/blacklist.ts'
import { addTriples, reinforce, type Vectors } from '../store/attachments.ts'
import { memoryAudit, writeAudit } from '../store/audit.ts'
import type { Tx } from '../db/database.ts'
import { headAt, lockKeys, writeGuards, type Head } from '../store/memories.ts'
import { countBlacklistHit, refuseBlacklisted } from './blacklist.ts'
import { answerOf, isJudged, passPrecondition, type ClaimAnswer } from './claim-answer.ts'
import { contentOf, type Content } from './content.ts'
import { embedValue, isEmbedded } from './embed.ts'
import { passGuards } from './guards.ts'
import { peersToSettle } from './older-of-key.ts'
import { glanceAt, stillHolds, type Glance } from './glance.ts'
import { beginAssessing, factsOf, stillStanding, UNJUDGED, type Assessment, type Judged } from './judging.ts'
import { announce } from './revise-row.ts'
import { passCharLimit, planWrite, type ClaimInput, type Plan } from './plan.ts'
import { headOf, storeClaim } from './store-claim.ts'
import { isLive } from './state.ts'
import { decideCall, trialAt } from './trial.ts'

/** What memory.set knows before it judges: the claim taken apart, its vectors, and what was looked up meanwhile. */
export interface Prepared {
  readonly content: Content
  readonly vectors: Vectors | null
  readonly ahead?: Ahead
}

/** What the store holds of a claim, and the judging begun against it; null where nothing is judged. */
interface Ahead {
  readonly glance: Glance
  readonly judging: ((vector: Float32Array | null) => Promise<Assessment>) | null
}

/** What judging found, and what the store held then. */
export interface AssessedClaim extends Assessment {
  readonly glance: Glance
}

async function planFor(
  input: ClaimInput,
  content: Content,
  head: Head | null,
  context: CallContext,
  db: PrepareContext['db'] | WriteContext['tx'],
): Promise<Plan> {
  const settings = await context.parts.settings.get(db, context.identity.org, context.identity.namespace)
  const autodetect = settings.sensitivity_autodetect ?? context.parts.config.sensitivityAutodetect
  return planWrite(input, content, head, { kind: context.caller.claims.kind, autodetect, settings, now: context.now })
}

export async function prepareClaim(input: ClaimInput, context: PrepareContext): Promise<Prepared> {
  const content = contentOf(input.memory_key, input.value, context.parts.config.valueAdvisoryChars)
  const unembedded = !isEmbedded(input.memory_type ?? 'semantic', input.sensitivity === '' ? content.detected : input.sensitivity)
  if (unembedded) return { content, vectors: null }
  const vectors = embedValue(content, context)
  // The store is read while the model is at work, unless others write to it: nothing would hold until the model is done.
  if (context.parts.database.writes() === null) return { content, vectors: await vectors }
  const ahead = await lookAhead(input, content, context)
  return { content, vectors: await vectors, ahead }
}

async function lookAhead(input: ClaimInput, content: Content, context: PrepareContext): Promise<Ahead> {
  const glance = await glanceAt(content, context)
  const { identity } = context
  const plan = await planFor(input, content, glance.head, context, context.db)
  if (plan.kind === 'restatement' || !isJudged(plan)) return { glance, judging: null }
  const candidate = {
    org: identity.org,
    namespace: identity.namespace,
    content,
    memoryType: plan.target.memory_type,
    userId: identity.user_id,
    memoryId: glance.head?.memory_id ?? '',
  }
  return { glance, judging: await beginAssessing(candidate, glance.equal, context) }
}

/** Judges the claim, unless it is a restatement or of a kind that is not judged. */
export async function assessClaim(input: ClaimInput, prepared: Prepared, context: PrepareContext): Promise<AssessedClaim> {
  const { content, vectors, ahead } = prepared
  const { glance, judging } = ahead && stillHolds(ahead.glance, content.key, context) ? ahead : await lookAhead(input, content, context)
  return { ...(judging ? await judging(vectors?.value ?? null) : UNJUDGED), glance }
}

/** How a write of one claim differs from memory.set. */
export interface WriteMode {
  /** False where a bulk write judges no more: the verdict stored and answered is "". */
  readonly checked: boolean
  /** True in a bulk write: the value as stored only reinforces, whatever else the entry names (BLK010, BLK011). */
  readonly valueDecides: boolean
  /** True in an import: a fact that is there already is left as it is, its reinforcement too (IMP016, IMP062). */
  readonly leavesHeld?: boolean
  /** The row that holds the very text, whatever a judge says. */
  readonly twin?: (tx: Tx) => Promise<Judged | null>
  /** True where a batch could not look up which of its keys are live: webhooks hear of a new row then (WHK041). */
  readonly unseen?: boolean
}

/** What became of a claim, and what memory.set answers to it. */
export interface Written {
  readonly outcome: 'stored' | 'repeated' | 'merged' | 'rejected'
  readonly answer: ClaimAnswer
  /** Of a dry run: the head that would have been stored, and the rows it would have retired. */
  readonly would?: { readonly head: Head; readonly retires: readonly string[] }
}

const SET: WriteMode = { checked: true, valueDecides: false }

export async function writeClaim(
  op: string,
  input: ClaimInput,
  context: WriteContext,
  prepared: Prepared,
  assessment: Assessment & Partial<AssessedClaim>,
): Promise<ClaimAnswer> {
  return (await putClaim(op, input, context, prepared, assessment, SET)).answer
}

/** The checks in their order, the first refusal ending the call; then the verdict, then the row (CHK001-018). */
export async function putClaim(
  op: string,
  input: ClaimInput,
  context: WriteContext,
  prepared: Prepared,
  assessment: Assessment & Partial<AssessedClaim>,
  mode: WriteMode,
): Promise<Written> {
  const { tx, identity, now, parts } = context
  const { content } = prepared
  const quiet = mode.leavesHeld === true ? { ...input, dry_run: true } : input
  await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
  const seen = assessment.glance ?? null
  const glance = stillHolds(seen, content.key, context) ? seen : null
  const head = glance ? glance.head : await headAt(tx, identity, input.memory_key)
  const plan = await planFor(input, content, head, context, tx)
  const live = head && isLive(head, now) ? head : null
  const trial = trialAt(input, head, now)
  const held = live ?? trial
  const proposed = input.proposed || trial !== null
  const next = proposed ? { next: decideCall(input.memory_key) } : {}
  const repeats = mode.valueDecides && held !== null && !plan.valueChanged
  if (live && plan.valueChanged) passGuards(live, 'change_value', now)
  else if (live && plan.expiryChanged && !repeats) passGuards(live, 'change_expiry', now)
  if (!repeats) passCharLimit(content.text, plan.target.char_limit)
  const patterns = glance?.patterns ?? (await patternsBinding(tx, identity.org, identity.namespace))
  refuseBlacklisted(patterns, content.value, (id, patternOrg) =>
    context.afterRollback((after) => countBlacklistHit(after, patternOrg, id, now)),
  )
  passPrecondition(input.if_match_sha256, live)
  if (held && (repeats || plan.kind === 'restatement')) {
    const said = repeats ? { dry_run: quiet.dry_run, pinned: false } : trial ? { ...input, relations: [] } : input
    return { outcome: 'repeated', answer: { ...(await restate(op, said, held, content, context)), ...next } }
  }

  const settings = await parts.settings.get(tx, identity.org, identity.namespace)
  // A proposal retires nothing, whatever the policy: what it contradicts is noted (PRO004).
  const policy = proposed ? 'flag' : settings.default_conflict_policy
  const minConfidence = parts.config.verdictMinConfidence
  const twin = (await mode.twin?.(tx)) ?? null
  const writing = { identity, content, head, policy }
  const judged = twin ? [twin] : await peersToSettle(await stillStanding(assessment, identity.org, tx), writing, minConfidence, context)
  const settlement = settle(
    judged.map((peer) => factsOf(peer, content.key, now)),
    { policy, runId: twin ? '' : input.run_id, minConfidence },
  )
  const checked = mode.checked && isJudged(plan)
  const answer = { ...answerOf(input, content, plan, settlement, judged, context), ...(!checked && { conflict_verdict: '' as const }) }
  if (settlement.status === null) {
    const refused = await refuseOrMerge(op, proposed ? { ...quiet, dry_run: true } : quiet, answer, settlement, judged, context)
    return { outcome: settlement.holder ? 'merged' : 'rejected', answer: refused }
  }
  // Relations named on trial stay out of the fact graph, for good (PRO005).
  const target = proposed ? { ...plan.target, relations: [] } : plan.target
  const claim = {
    op,
    identity,
    content,
    target,
    head,
    vectors: prepared.vectors,
    settlement,
    judged,
    checked,
    proposed,
    unseen: mode.unseen === true,
  }
  const told = { ...answer, ...next, ...(proposed && { status: 'proposed' as const }) }
  if (input.dry_run) {
    const would = { head: headOf(claim, context), retires: settlement.retires.map((peer) => peer.memoryId) }
    return { outcome: 'stored', answer: { ...told, noop: true, memory_id: held?.memory_id ?? '', version: held?.version ?? 0n }, would }
  }
  const stored = await storeClaim(claim, context)
  return {
    outcome: 'stored',
    answer: { ...told, memory_id: stored.memory_id, version: stored.version, chunks_written: content.chunks.length },
  }
}

type Restatement = Pick<ClaimInput, 'pinned' | 'dry_run'> & Partial<Pick<ClaimInput, 'char_limit' | 'entities' | 'relations'>>

/** The same claim again: reinforces; new entities and triples are added, a pin and a char_limit take hold. */
async function restate(op: string, input: Restatement, live: Head, content: Content, context: WriteContext): Promise<ClaimAnswer> {
  const { tx, now } = context
  const pins = input.pinned && !live.pinned
  const charLimit =
    input.char_limit === undefined || input.char_limit === null ? live.char_limit : input.char_limit === 0 ? null : input.char_limit
  if (!input.dry_run) {
    const entities = [...new Set([...live.entities, ...(input.entities ?? []).map(fold)])]
    if (pins || charLimit !== live.char_limit)
      await writeGuards(tx, live.org, live.memory_id, { pinned: live.pinned || pins, char_limit: charLimit })
    if (entities.length > live.entities.length)
      await tx
        .updateTable('memory')
        .set({ entities, rev: live.rev + 1n })
        .where('org', '=', live.org)
        .where('memory_id', '=', live.memory_id)
        .execute()
    await addTriples(tx, live.org, live.memory_id, input.relations ?? [])
    if (pins || entities.length > live.entities.length) await announce({ ...live, pinned: live.pinned || pins, entities }, context)
    if (pins && op === 'memory.pin')
      await writeAudit(tx, [memoryAudit(live, { op, at: now, actor: context.actor, requestId: context.caller.requestId })])
    await reinforce(tx, live.org, live.memory_id)
  }
  return {
    memory_id: live.memory_id,
    version: live.version,
    content_sha256: live.content_sha256,
    status: live.status as ClaimAnswer['status'],
    namespace: live.namespace,
    memory_key: live.memory_key,
    conflict_verdict: live.conflict_verdict as ClaimAnswer['conflict_verdict'],
    peers: [],
    next: '',
    noop: true,
    merged_into_key: '',
    duplicate_of: live.duplicate_of,
    retyped_from: '',
    pinned: live.pinned || pins,
    chunks_written: 0,
    advisories: [...content.advisories],
    degraded: [...context.degraded],
    dry_run: input.dry_run,
  }
}

/** Nothing is stored at the caller's key: the fact is held elsewhere, or a pinned fact stands against it. */
async function refuseOrMerge(
  op: string,
  input: ClaimInput,
  answer: ClaimAnswer,
  settlement: Settlement,
  judged: readonly Judged[],
  context: WriteContext,
): Promise<ClaimAnswer> {
  const holder = settlement.holder && judged.find((peer) => peer.head.memory_id === settlement.holder?.memoryId)?.head
  if (!holder) return { ...answer, status: 'rejected', content_sha256: '', pinned: false, noop: input.dry_run }
  const pins = op === 'memory.pin' && !holder.pinned
  if (!input.dry_run) {
    await reinforce(context.tx, holder.org, holder.memory_id)
    if (pins) {
      await writeGuards(context.tx, holder.org, holder.memory_id, { pinned: true })
      await announce({ ...holder, pinned: true }, context)
      await writeAudit(context.tx, [
        memoryAudit(holder, { op, at: context.now, actor: context.actor, requestId: context.caller.requestId }),
      ])
    }
  }
  return {
    ...answer,
    memory_id: holder.memory_id,
    version: holder.version,
    content_sha256: holder.content_sha256,
    status: holder.status as ClaimAnswer['status'],
    merged_into_key: holder.memory_key,
    pinned: holder.pinned || pins,
    noop: !pins || input.dry_run,
  }
}
