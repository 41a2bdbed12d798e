import { v7 } from 'uuid'
import type { Input, Output } from '../../../contract/declare.ts'
import { isLoomError, LoomError } from '../../../contract/errors.ts'
import { Str } from '../../../contract/common.ts'
import { Change, PUSH_PROTOCOL, type syncPush } from '../../../contract/ops/sync/push.ts'
import { storeError } from '../../db/store-error.ts'
import type { PrepareContext } from '../../handler.ts'
import { highestFence } from '../../store/fences.ts'
import { endPushLease, PUSH_LEASE_S, renewPushLease, takePushLease } from '../../store/push-lease.ts'
import { keepChange, settledChange, settledChanges, type KeptChange } from '../../store/sync-changes.ts'
import { baseOf } from './base.ts'
import type { ChangeResult, PushCall, RawChange } from './call.ts'
import { isSettledMeanwhile } from './conclude.ts'
import { isPassing, refusalOf } from './outcome.ts'
import { readChange, type ReadChange } from './read-change.ts'
import { replayedResult, retryResult } from './result.ts'
import { settleChange } from './settle-change.ts'
import { namesOf, waitsFor } from './waiting.ts'
import { warm } from './warm.ts'

type Envelope = Input<typeof syncPush>
type Answer = Output<typeof syncPush>

/** What is not settled by then is sent again. */
const BUDGET_MS = 20_000
/** A change takes far less than the rest of the lease. */
const RENEW_AFTER_MS = 5_000
const RETRY_AFTER_S = 2
/** Looks at one change when others settle its key at the same moment. */
const MOST_LOOKS = 5

/** @throws LoomError FORBIDDEN without a device token, INVALID_ARGUMENT for an envelope that cannot be read as one push. */
function checkEnvelope({ protocol, changes }: Envelope, deviceId: string): void {
  if (deviceId === '')
    throw new LoomError('FORBIDDEN', 'sync.push needs the token of a device. Pair this machine, or register it with device.register.')
  if (protocol !== PUSH_PROTOCOL)
    throw new LoomError('INVALID_ARGUMENT', `This server speaks protocol ${PUSH_PROTOCOL} of sync.push.`, {
      field: 'protocol',
      supported: [PUSH_PROTOCOL],
    })
  const ids = changes.map((change) => change['change_id'])
  const twice = ids.findIndex((id, at) => ids.indexOf(id) !== at)
  if (twice !== -1)
    throw new LoomError('INVALID_ARGUMENT', `changes[${twice}].change_id stands twice in this push.`, {
      field: `changes[${twice}].change_id`,
    })
}

/** What a change that may not be readable says that it was made on. */
function baseNamed(raw: RawChange): Pick<Change, 'base_version' | 'base_change_id'> {
  const version = Change.shape.base_version.safeParse(raw['base_version'])
  const id = Str.safeParse(raw['base_change_id'])
  return { base_version: version.data ?? null, base_change_id: id.success ? id.data : '' }
}

/** What a change that cannot be run, or that names nothing, is answered. */
async function putAside(raw: RawChange, error: LoomError, push: PushCall): Promise<ChangeResult> {
  const { outcome, code } = refusalOf(error, 'other')
  return push.context.parts.database.transaction(async (tx) => {
    const kept = {
      org: push.org,
      change_id: raw.change_id,
      device_id: push.deviceId,
      outcome,
      code,
      conflict_verdict: '',
      status: '',
      memory_id: '',
      holder_id: '',
      version: null,
      base_version: await baseOf(tx, push.org, baseNamed(raw)),
      at: new Date(push.context.parts.clock()),
    }
    const isNew = await keepChange(tx, kept)
    const settled = isNew ? kept : ((await settledChange(tx, push.org, raw.change_id)) ?? kept)
    const result = await replayedResult(tx, settled, raw, push)
    return isNew ? { ...result, replayed: false, message: error.message } : result
  })
}

/** The outcome of one change, settled now or (`before`) when the push began. */
async function settle(raw: RawChange, before: KeptChange | null, push: PushCall): Promise<ChangeResult> {
  for (let look = 1; ; look++) {
    const { database } = push.context.parts
    const kept = look === 1 ? before : await settledChange(push.context.db, push.org, raw.change_id)
    if (kept) return database.transaction((tx) => replayedResult(tx, kept, raw, push))
    let read: ReadChange
    try {
      read = await readChange(raw, push)
    } catch (error) {
      if (isLoomError(error) && !isPassing(error)) return putAside(raw, error, push)
      throw error
    }
    try {
      return await settleChange(read, push)
    } catch (error) {
      if (isLoomError(error) && !isPassing(error) && error.code !== 'UNAUTHENTICATED') return putAside(raw, error, push)
      if (!isSettledMeanwhile(error) || look === MOST_LOOKS) throw error
    }
  }
}

/** One bad change never blocks the rest: what may go better another time is asked for again. */
async function settleOrRetry(raw: RawChange, before: KeptChange | null, push: PushCall): Promise<ChangeResult> {
  try {
    return await settle(raw, before, push)
  } catch (error) {
    const known = isLoomError(error) ? error : storeError(error)
    if (known?.code === 'UNAUTHENTICATED') throw known
    if (known && known.code !== 'INTERNAL') {
      const code = known.code === 'STORAGE_FULL' ? known.code : 'UNAVAILABLE'
      return retryResult(raw.change_id, code, known.message, RETRY_AFTER_S)
    }
    const { log } = push.context.parts
    log.error({ err: error, op: 'sync.push', request_id: push.context.caller.requestId, change_id: raw.change_id }, 'a change failed')
    return retryResult(
      raw.change_id,
      'INTERNAL',
      `The log of the server has the cause under ${push.context.caller.requestId}.`,
      RETRY_AFTER_S,
    )
  }
}

async function settleAll(changes: readonly RawChange[], push: PushCall, keepLease: () => Promise<boolean>): Promise<ChangeResult[]> {
  const { clock, stopping } = push.context.parts
  const began = clock()
  const results: ChangeResult[] = []
  const waiting = new Set<string>()
  const before = await settledChanges(
    push.context.db,
    push.org,
    changes.map((raw) => raw.change_id),
  )
  let warming: Promise<void> | undefined
  for (const [at, raw] of changes.entries()) {
    await warming
    const next = changes[at + 1]
    warming = next && before.has(next.change_id) ? undefined : warm(next, push)
    const isOver = clock() - began > BUDGET_MS || stopping.aborted || push.context.caller.signal?.aborted === true
    if (results.length > 0 && (isOver || !(await keepLease()))) break
    if (waitsFor(raw).some((name) => waiting.has(name))) {
      for (const name of namesOf(raw)) waiting.add(name)
      results.push(retryResult(raw.change_id, 'UNAVAILABLE', 'An earlier change of this key waits to be sent again.', RETRY_AFTER_S))
      continue
    }
    try {
      const result = await settleOrRetry(raw, before.get(raw.change_id) ?? null, push)
      if (result.outcome === 'retry') for (const name of namesOf(raw)) waiting.add(name)
      results.push(result)
    } catch (error) {
      // What was settled before the token ended is answered; the rest is sent again, and refused then.
      if (results.length === 0) throw error
      break
    }
  }
  return results
}

/** Settles what a device ran offline, change by change, each in a transaction of its own. */
export async function settlePush(input: Envelope, context: PrepareContext): Promise<Answer> {
  const { db, parts, caller } = context
  const { org, device_id: deviceId } = caller.claims
  checkEnvelope(input, deviceId)
  const now = parts.clock()
  const fence = await highestFence(db, caller.claims)
  const answer = { server_time: new Date(now).toISOString(), erasures_first: fence > input.erasure_seq, erasure_seq: fence }
  if (answer.erasures_first) return { ...answer, results: [] }
  const owner = v7()
  const taken = await takePushLease(db, { org, deviceId, erasureSeq: input.erasure_seq }, owner)
  if (taken === null) throw new LoomError('FORBIDDEN', 'The device of this token is not registered. Pair it anew.')
  if (!taken)
    throw new LoomError('IN_PROGRESS', 'A push of this device is running. Send it again when that has ended.', {
      retry_after_s: PUSH_LEASE_S,
    })
  let renewed = performance.now()
  const keepLease = async (): Promise<boolean> => {
    if (performance.now() - renewed < RENEW_AFTER_MS) return true
    renewed = performance.now()
    return renewPushLease(db, org, deviceId, owner)
  }
  try {
    const push = { context, org, deviceId, aheadMs: now - Date.parse(input.sent_at) }
    return { ...answer, results: await settleAll(input.changes, push, keepLease) }
  } finally {
    // It runs out by itself: what was settled is answered all the same.
    await endPushLease(db, org, deviceId, owner, new Date(parts.clock())).catch((err: unknown) =>
      parts.log.warn({ err, request_id: caller.requestId }, 'the lease of a push could not be given back'),
    )
  }
}
