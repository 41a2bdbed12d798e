import { isLoomError } from '../../contract/errors.ts'
import { nearlyAccepted, trialDecision } from '../../domain/verdict/trial.ts'
import type { PrepareContext, WriteContext } from '../handler.ts'
import { isOfServer, workerCaller } from '../jobs/worker-write.ts'
import { trialsOf, type Trial } from '../read/trials.ts'
import { claimOfHead } from '../store/head-claim.ts'
import type { Head } from '../store/memories.ts'
import type { Run } from '../store/runs.ts'
import { acceptProposal, assessAcceptance, type Acceptance } from './decide-proposal.ts'
import type { Judged } from './judging.ts'
import { rejectRow } from './reject-row.ts'
import { relateAgain } from './settling/relate-again.ts'
import { isOnTrial } from './state.ts'

const NAME = 'proposal_policy'
const OP = `worker:${NAME}`
const WORKER = workerCaller(NAME)

/** What the policy may have to accept, judged ahead; `among` are earlier ones of the same call, which no store holds yet. */
export type Candidates = ReadonlyMap<string, Acceptance & { readonly among: readonly Judged[] }>

/** Trials of a team are decided by its server. */
const decidesHere = ({ parts, identity }: PrepareContext | WriteContext): boolean => !isOfServer(parts, identity.org)

/** How a proposal stands to one that the same call may accept before it. */
async function judgedAmong(head: Head, earlier: readonly Head[], threshold: number, context: PrepareContext): Promise<Judged[]> {
  const among: Judged[] = []
  for (const peer of earlier) {
    const { judgement, similarity } = await relateAgain(head, peer, context.parts)
    if (judgement.finding === 'clear' || similarity < threshold || peer.memory_type !== head.memory_type) continue
    const claim = claimOfHead(peer)
    among.push({ head: peer, claim, similarity, judgement, isRehearsed: true })
  }
  return among
}

/** Judges, before the transaction, the proposals of a run that its grade may make the policy accept. */
export async function assessTrials(run: Run, context: PrepareContext): Promise<Candidates> {
  const { parts, db, now } = context
  const settings = await parts.settings.get(db, run.org, run.namespace)
  const candidates = new Map<string, Acceptance & { among: Judged[] }>()
  if (settings.proposal_policy.mode !== 'auto' || !decidesHere(context)) return candidates
  const worker = { ...context, caller: WORKER }
  const earlier: Head[] = []
  for (const trial of await trialsOf(db, run, WORKER)) {
    const { head } = trial
    if (!isOnTrial(head, now) || !nearlyAccepted(settings.proposal_policy, trial)) continue
    const among = await judgedAmong(head, earlier, settings.conflict_threshold, worker)
    candidates.set(head.memory_id, { ...(await assessAcceptance(head, worker)), among })
    earlier.push(head)
  }
  return candidates
}

const STAYS_OPEN = new Set(['LOCKED', 'PINNED_CONFLICT', 'BLACKLISTED'])

/** Accepts one, unless something stands against it: it stays on trial then. */
async function accepted(head: Head, candidates: Candidates, done: ReadonlyMap<string, Head>, context: WriteContext): Promise<Head | null> {
  const ready = candidates.get(head.memory_id)
  if (!ready || ready.head.version !== head.version) return null
  const among = ready.among.flatMap((peer) => {
    const now = done.get(peer.head.memory_id)
    return now?.status === 'active' ? [{ ...peer, head: now }] : []
  })
  const assessment = { judged: [...ready.assessment.judged, ...among] }
  try {
    return (await acceptProposal({ ...ready, head, assessment }, OP, false, context)).head
  } catch (error) {
    if (isLoomError(error) && STAYS_OPEN.has(error.code)) return null
    throw error
  }
}

export type Decided = Trial & { readonly decision: 'accepted' | 'rejected' | 'open' }

/** Applies the namespace's policy to trials, in the transaction of the grade (PRO011, PRO012). */
export async function decideTrials(trials: readonly Trial[], candidates: Candidates, outer: WriteContext): Promise<Decided[]> {
  const { parts, tx, identity, now } = outer
  const { proposal_policy: policy } = await parts.settings.get(tx, identity.org, identity.namespace)
  const by = { actor: OP, requestId: '' }
  const context: WriteContext = { ...outer, actor: OP, caller: WORKER, changed: (change) => outer.changed({ ...change, by }) }
  const done = new Map<string, Head>()
  const decided: Decided[] = []
  for (const trial of trials) {
    const { head } = trial
    const decision = decidesHere(outer) && isOnTrial(head, now) ? trialDecision(policy, trial) : null
    const after = decision === 'reject' ? await rejectRow(head, OP, context) : decision && (await accepted(head, candidates, done, context))
    if (after) done.set(head.memory_id, after)
    decided.push({ ...trial, decision: !after ? 'open' : decision === 'reject' ? 'rejected' : 'accepted' })
  }
  return decided
}
