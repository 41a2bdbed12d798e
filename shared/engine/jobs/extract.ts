import { isLoomError } from '../../contract/errors.ts'
import { memorySetFromMessages as contract } from '../../contract/ops/memory/set_from_messages.ts'
import type { Claims } from '../../contract/ops/engine/info.ts'
import { authorise } from '../authorise.ts'
import { actorOf, type Caller } from '../caller.ts'
import type { BatchHandler, PrepareContext } from '../handler.ts'
import type { EngineParts } from '../parts.ts'
import { askedBy, dequeue, EXTRACT, inputOf, nextQueued, putOff, type Queued } from '../store/extract-queue.ts'
import { claimsOf, tokenById } from '../store/tokens.ts'
import type { Job } from './job.ts'

/** Waits between the attempts, in milliseconds; after the last the transcript is given up. */
const WAITS_MS = [10_000, 60_000, 300_000, 1_800_000, 7_200_000]

/** What the caller may do now; null: the token has ended. */
async function claimsNow(queued: Queued, { database, clock }: EngineParts): Promise<Claims | null> {
  const asked = askedBy(queued)
  if (asked.token_id === '') return asked
  const row = await tokenById(database.reader, asked.token_id)
  if (!row || row.revoked_at !== null || (row.expires_at !== null && row.expires_at.getTime() <= clock())) return null
  return claimsOf(row)
}

/** Extracts with the identity and the rights of who asked. Answers whether the model answered. */
async function runQueued(queued: Queued, claims: Claims, parts: EngineParts, signal: AbortSignal): Promise<boolean> {
  const { org, namespace, agent, user_id, session_id, request_id: requestId } = queued
  const identity = { org, namespace, agent, user_id, session_id }
  const caller: Caller = { claims, transport: 'inproc', fills: {}, local: false, requestId, signal }
  const input = contract.input.parse(inputOf(queued))
  const context: PrepareContext = {
    caller,
    actor: actorOf(caller),
    identity,
    given: identity,
    // "Now" is when the transcript was handed over.
    now: queued.created_at,
    parts,
    // An erasure that came since takes the transcript, and what would be made of it.
    erasureSince: queued.erasure_seq,
    degraded: new Set(),
    db: parts.database.reader,
    replay: { op: contract.name, via: '', args: input },
  }
  authorise(contract, context)
  const { degraded } = (await (parts.handlerOf('memory.set_from_messages') as BatchHandler).runAll(input, context)) as {
    degraded: readonly string[]
  }
  return !degraded.includes('llm')
}

/** Learns from transcripts that were handed over with `defer`, one after another. */
export const extract: Job = {
  name: EXTRACT,
  everyMs: 5_000,
  async run(parts, signal) {
    const now = new Date(parts.clock())
    const queued = await nextQueued(parts.database.reader, now)
    if (!queued || signal.aborted) return 'done'
    const about = { queue_id: queued.queue_id, request_id: queued.request_id }
    const drop = (): Promise<void> => parts.database.transaction((tx) => dequeue(tx, queued))
    const claims = await claimsNow(queued, parts)
    if (!claims) {
      parts.log.warn(about, 'a transcript was dropped: the token that handed it over has ended')
      await drop()
      return 'again'
    }
    try {
      if (await runQueued(queued, claims, parts, signal)) {
        await drop()
        return 'again'
      }
    } catch (error) {
      if (signal.aborted) return 'done'
      if (isLoomError(error) && error.code === 'FORBIDDEN') {
        parts.log.warn(about, 'a transcript was dropped: who handed it over may not write there any more')
        await drop()
        return 'again'
      }
      parts.log.error({ err: error, ...about }, 'a transcript could not be extracted')
    }
    const wait = WAITS_MS[queued.attempts]
    if (wait === undefined) {
      parts.log.error(about, 'a transcript was given up')
      await drop()
    } else await parts.database.transaction((tx) => putOff(tx, queued, new Date(parts.clock() + wait)))
    return 'again'
  },
}
