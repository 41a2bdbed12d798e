import { LoomError, isLoomError } from '../../../contract/errors.ts'
import { ChangeResult, MOST_CHANGES, PUSH_PROTOCOL } from '../../../contract/ops/sync/push.ts'
import type { EngineParts } from '../../parts.ts'
import type { Connection } from './port.ts'
import { applied, noteSyncTime } from './commit.ts'
import { nextChanges, pushed, type Queued } from './outbox.ts'
import { settleResult, type Settled } from './results.ts'
import type { ServerLink } from './server-link.ts'

/** What one push came to. */
export interface Pushed {
  /** Nothing waits any more. */
  readonly done: boolean
  /** The server holds what it did not hold before. */
  readonly changed: boolean
  /** Fences stand that are to be applied first. */
  readonly erasuresFirst: boolean
  /** Changes that were answered for good. */
  readonly taken: number
  /** Milliseconds to wait before what is left is sent again. */
  readonly waitMs: number
  /** Why some are to be sent again, as the server says; empty where none is. */
  readonly why: string
}

const NOTHING: Pushed = { done: true, changed: false, erasuresFirst: false, taken: 0, waitMs: 0, why: '' }
const RETRY_MS = 1000

/**
 * Pushes the next changes and settles the answers, each in a transaction of its own.
 * @throws LoomError as the server answers the push; what was not answered is sent again.
 */
export async function pushOnce(parts: EngineParts, connection: Connection, link: ServerLink, signal: AbortSignal): Promise<Pushed> {
  const { org } = connection
  const changes = await nextChanges(parts.database.reader, org, MOST_CHANGES)
  if (changes.length === 0) return NOTHING
  const answer = await send(parts, connection, link, changes, signal)
  if (answer === 'too large') {
    await setAside(parts, org, changes[0])
    return { ...NOTHING, done: false, taken: 1 }
  }
  if (answer['erasures_first'] === true) return { ...NOTHING, done: false, erasuresFirst: true }
  const results = (answer['results'] as readonly unknown[]).map((result) => ChangeResult.parse(result))
  const byId = new Map(changes.map((change) => [change.change_id, change]))
  const answered = results.flatMap((result) => {
    const change = byId.get(result.change_id)
    return change ? [{ change, result }] : []
  })
  let [changed, taken, waitMs, why] = [false, 0, 0, '']
  for (const { settled, result } of await settleAll(parts, org, answered)) {
    if (settled === 'retry') {
      waitMs = Math.max(waitMs, (result.retry_after_s ?? 0) * 1000, RETRY_MS)
      why = `${result.code}: ${result.message}`
    } else {
      taken++
      changed ||= result.outcome !== 'noop' && result.outcome !== 'quarantined'
    }
  }
  await noteSyncTime(parts, org, 'last_push_at')
  const left = await nextChanges(parts.database.reader, org, 1)
  return { done: left.length === 0, changed, erasuresFirst: false, taken, waitMs, why }
}

interface Answered {
  readonly change: Queued
  readonly result: ChangeResult
}

type SettledAnswer = Answered & { readonly settled: Settled }

/** All answers of a push in one transaction; where one of them fails, each by itself, so that it holds up no other. */
async function settleAll(parts: EngineParts, org: string, answered: readonly Answered[]): Promise<SettledAnswer[]> {
  const settle = (some: readonly Answered[]): Promise<SettledAnswer[]> =>
    applied(parts, org, async (context) => {
      const done: SettledAnswer[] = []
      for (const one of some) done.push({ ...one, settled: await settleResult(one.change, one.result, context) })
      return done
    })
  try {
    return await settle(answered)
  } catch (error) {
    if (answered.length === 1) throw error
    parts.log.warn({ err: error }, 'answers are settled one by one')
    const done: SettledAnswer[] = []
    let failure: unknown = null
    for (const one of answered) {
      await settle([one]).then(
        (settled) => done.push(...settled),
        (reason: unknown) => void (failure ??= reason),
      )
    }
    if (failure !== null) throw failure
    return done
  }
}

async function send(
  parts: EngineParts,
  connection: Connection,
  link: ServerLink,
  changes: readonly Queued[],
  signal: AbortSignal,
): Promise<Record<string, unknown> | 'too large'> {
  let batch = changes
  for (;;) {
    const envelope = { protocol: PUSH_PROTOCOL, erasure_seq: Number(connection.erasureSeq), sent_at: new Date(parts.clock()).toISOString() }
    try {
      return await link.call(
        'sync.push',
        { ...envelope, changes: batch.map((change) => pushed(change, new Date(parts.clock()))) },
        { signal },
      )
    } catch (error) {
      if (!isLoomError(error) || error.code !== 'PAYLOAD_TOO_LARGE') throw error
      if (batch.length === 1) return 'too large'
      batch = batch.slice(0, Math.ceil(batch.length / 2))
    }
  }
}

/** A change that the server does not take even by itself is set aside, and the rest goes on. */
async function setAside(parts: EngineParts, org: string, change: Queued | undefined): Promise<void> {
  if (!change) throw new LoomError('INTERNAL', 'There is no change to set aside.')
  const result = ChangeResult.parse({
    change_id: change.change_id,
    outcome: 'quarantined',
    replayed: false,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The change is larger than the team server takes.',
    conflict_verdict: '',
    status: '',
    merged_into_key: '',
    peers: [],
    memory_id: change.memory_id,
    version: null,
    row: null,
    current_sha256: null,
    retry_after_s: null,
  })
  await applied(parts, org, (context) => settleResult(change, result, context))
}
