import { isLoomError, LoomError } from '../../../contract/errors.ts'
import { REGISTRY, isOpName } from '../../../contract/registry.ts'
import type { OpContract } from '../../../contract/declare.ts'
import type { Decision } from '../../../domain/sync/diverged.ts'
import { authorise } from '../../authorise.ts'
import { numberIn } from '../../erasure/numbers.ts'
import type { CallContext, PrepareContext, WriteContext } from '../../handler.ts'
import { requireRole } from '../../rights.ts'
import { isFreeId } from '../../store/aliases.ts'
import { shareErasureLock, standingOf } from '../../store/fences.ts'
import { headAt, lockKeys, type Head } from '../../store/memories.ts'
import { tellProvenance, type Provenance } from '../../store/provenance.ts'
import { transact } from '../../transact.ts'
import { isLive } from '../../write/state.ts'
import { attempt, type Ran } from './attempt.ts'
import { baseOf, decide, RUNS } from './base.ts'
import type { ChangeResult, PushCall } from './call.ts'
import { conclude, settledMeanwhile, type Scene } from './conclude.ts'
import { passBound } from './exact-identity.ts'
import { landAnswer, landRefusal } from './land.ts'
import { contentOfChange } from './lost-version.ts'
import { isPassing, toldAs } from './outcome.ts'
import type { ReadChange } from './read-change.ts'

/** Says that the device's token ended while its push ran. */
const tokenEnded = (): LoomError => new LoomError('UNAUTHENTICATED', 'The token of this device was revoked. Pair it anew.')

/** The call that the operation is: its actor is the token's, its class never above what it had on the device. */
function callOf({ change, contract, identity }: ReadChange, push: PushCall): PrepareContext {
  const { caller, actor, parts, db } = push.context
  const kind = change.source_class === 'agent' || change.source_class === 'system' ? 'process' : caller.claims.kind
  const { org, namespace } = identity
  const isAddressed = contract.identity === 'exact' || contract.identity === 'resolve'
  return {
    caller: { ...caller, claims: { ...caller.claims, kind } },
    actor,
    identity,
    given: isAddressed ? identity : { org, namespace },
    now: new Date(parts.clock()),
    parts,
    degraded: new Set(),
    db,
  }
}

/** @throws LoomError FORBIDDEN for what the token may not do there: the operation itself, and the one it was split from. */
function passRights({ change, contract, identity }: ReadChange, call: CallContext): void {
  passBound(identity, contract, call.caller)
  authorise(contract, call)
  const via: OpContract | null = isOpName(change.via) ? REGISTRY[change.via] : null
  if (via && via.kind === 'write' && via.role !== 'none') requireRole(call.caller, identity.org, identity.namespace, via.role)
}

interface Ready {
  readonly read: ReadChange
  readonly push: PushCall
  /** Refused before its transaction. */
  readonly early: LoomError | null
  /** By what the token may do: nothing of the place is told then, not even that it was erased. */
  readonly forbidden: boolean
  readonly prepared: unknown
  readonly assessed: unknown
}

/** A refusal, or nothing: what may pass goes on as an error. */
async function refusalIn<T>(work: () => T | Promise<T>): Promise<{ readonly made: T } | { readonly refusal: LoomError }> {
  try {
    return { made: await work() }
  } catch (error) {
    if (isLoomError(error) && !isPassing(error)) return { refusal: error }
    throw error
  }
}

const PLACE = ['namespace', 'agent', 'user_id', 'session_id'] as const

/** Rows that the change names itself: its key, and where it moves it to. */
function keysOf({ key, input }: ReadChange): readonly string[] {
  const to = input['to_key']
  return [key, ...(typeof to === 'string' ? [to] : [])].filter((name) => name !== '')
}

/**
 * Settles a change in a transaction of its own, as team "Settling one change" has it.
 * @throws LoomError UNAUTHENTICATED when the token ended; what may go better another time; `settledMeanwhile`
 */
export async function settleChange(read: ReadChange, push: PushCall): Promise<ChangeResult> {
  const call = callOf(read, push)
  const { handler, input } = read
  const passed = await refusalIn(() => passRights(read, call))
  const made = 'refusal' in passed ? passed : await refusalIn(() => handler.prepare?.(input, call))
  const settle = async (): Promise<ChangeResult> => {
    const prepared = 'refusal' in made ? undefined : made.made
    const seen = 'refusal' in made ? made : await refusalIn(() => handler.assess?.(input, prepared, call))
    const early = 'refusal' in seen ? seen.refusal : null
    const ready = { read, push, early, forbidden: 'refusal' in passed, prepared, assessed: 'refusal' in seen ? null : seen.made }
    return transact(call, (write) => settleInside(ready, write))
  }
  return handler.exclusive && !('refusal' in made)
    ? push.context.parts.exclusive.run(await handler.exclusive(input, call), settle)
    : settle()
}

/** Locks what the change names, and reads what it stands on. */
async function sceneOf({ read, push, early }: Ready, write: WriteContext): Promise<Scene> {
  const { change, identity, key } = read
  const { tx, parts, now } = write
  const names = keysOf(read)
  await shareErasureLock(tx, parts.database.kind, push.org)
  await lockKeys(
    tx,
    parts.database.kind,
    names.map((name) => `${identity.org}/${identity.namespace}/${name}`),
  )
  const collection = read.op.startsWith('knowledge.') ? String(read.input['collection']) : ''
  const standing = await standingOf(tx, { ...identity, org: push.org, collection }, change.erasure_seq, push.context.caller.claims.token_id)
  if (!standing.tokenLives) throw tokenEnded()
  if (standing.erasureSeq > numberIn(tx)) await parts.numbers.stamp(tx, standing.erasureSeq)
  const base = await baseOf(tx, push.org, change)
  const head = key === '' ? null : await headAt(tx, identity, key)
  const saidAt = new Date(Math.min(Date.parse(change.recorded_at) + push.aheadMs, now.getTime()))
  const content = read.effect === 'value' ? contentOfChange(read, write) : null
  const incoming = { effect: read.effect, base, saidAt, sha256: content?.sha256 ?? '', canonicalSha256: content?.canonicalSha256 ?? '' }
  const { default_conflict_policy: policy } = await parts.settings.get(tx, identity.org, identity.namespace)
  const decision: Decision = early || standing.fenced ? RUNS : await decide(tx, head, incoming, policy, now)
  const offersId = change.memory_id !== '' && (head === null || names.length > 1)
  const told: Provenance = {
    changeId: change.change_id,
    deviceId: push.deviceId,
    madeAt: new Date(change.recorded_at),
    saidAt,
    erasureSeq: standing.erasureSeq,
    newId: offersId && (await isFreeId(tx, push.org, change.memory_id)) ? change.memory_id : null,
    isContested: decision.kind === 'runs' && decision.contested,
    isOwn: (row) => names.includes(row.memory_key) && PLACE.every((field) => row[field] === identity[field]),
  }
  return { read, push, write, base, head, decision, told, fenced: standing.fenced }
}

async function settleInside(ready: Ready, write: WriteContext): Promise<ChangeResult> {
  const scene = await sceneOf(ready, write)
  if (ready.early && ready.forbidden) return landRefusal(scene, ready.early)
  if (scene.fenced) return conclude(scene, toldAs('erased'))
  tellProvenance(write.tx, scene.told)
  const { effect, sawLive } = ready.read
  // Early refusals and those of the operation come before the base: a lock is told though the row moved on, too.
  if (ready.early) return landRefusal(scene, ready.early)
  const ran = await run(ready, scene.head, write)
  if ('refusal' in ran) return landRefusal(scene, ran.refusal)
  if (ran.answer['reason'] === 'not_found' && effect === 'value' && sawLive) throw settledMeanwhile()
  return landAnswer(scene, ran)
}

/** Runs the operation itself. A delete means the row of its own identity, and no other of the key. */
async function run(
  { read, prepared, assessed }: Ready,
  head: Head | null,
  write: WriteContext,
): Promise<Ran | { readonly refusal: LoomError }> {
  const misses = read.op === 'memory.delete' && (head === null || (read.change.via !== 'memory.clear' && !isLive(head, write.now)))
  return attempt(write, async (inside) =>
    misses ? { found: false } : read.handler.run(read.input, await asCalled(read, inside), prepared, assessed),
  )
}

/** The other end of a link may be a row of another identity: it is looked for as the device's caller did. */
async function asCalled({ op, input, identity }: ReadChange, inside: WriteContext): Promise<WriteContext> {
  if (op !== 'memory.link') return inside
  const to = await headAt(inside.tx, identity, String(input['to_key']))
  return to && isLive(to, inside.now) ? inside : { ...inside, given: { org: identity.org, namespace: identity.namespace } }
}
