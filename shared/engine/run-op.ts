import type { OpContract } from '../contract/declare.ts'
import { LoomError, isLoomError } from '../contract/errors.ts'
import { answersOn } from '../contract/hosts.ts'
import { requireOp } from '../contract/known-op.ts'
import type { OpName } from '../contract/registry.ts'
import { knownArguments, parseArguments } from './arguments.ts'
import { authorise } from './authorise.ts'
import { actorOf, type Caller } from './caller.ts'
import { storeError } from './db/store-error.ts'
import { isFencedMeanwhile, isFencedSince } from './erasure/numbers.ts'
import type { BatchHandler, CallContext, Handler, WriteHandler } from './handler.ts'
import { fillIdentity } from './identity.ts'
import { ANSWERS_COLD } from './index-fill.ts'
import { HANDLERS } from './ops/handlers.ts'
import type { EngineParts } from './parts.ts'
import { hashBody, keepAnswer, keptAnswer, type Repeatable } from './store/idempotency.ts'
import { transact } from './transact.ts'

/** Their answers quote nothing, and come after the fence that they raise. */
const RAISES_FENCES: ReadonlySet<string> = new Set(['erasure.request', 'collection.delete'])
/** Fences that one call may meet on its way. */
const MOST_LOOKS = 4

export type RunOp = (name: string, input: unknown, caller: Caller) => Promise<Record<string, unknown>>

/** @throws LoomError UNKNOWN_OPERATION. */
function find(name: string): Handler {
  return HANDLERS[requireOp(name)]
}

/** @throws LoomError UNKNOWN_OPERATION for an operation of the other kind of host. */
function requireHost(contract: OpContract, parts: EngineParts): void {
  if (answersOn(contract, parts)) return
  const missing = contract.host === 'server' ? 'a Loom server, and this is a desktop' : 'a desktop, and this is a server'
  throw new LoomError('UNKNOWN_OPERATION', `${contract.name} needs ${missing}.`, { operation: contract.name, host_needed: contract.host })
}

function throwIfGone(caller: Caller): void {
  if (caller.signal?.aborted) throw new LoomError('CANCELLED', 'The caller went away; nothing was written.')
}

/** The single pipeline through which every operation runs, whatever the transport. */
export function createRunOp(parts: EngineParts): RunOp {
  async function runWrite(handler: WriteHandler, input: Record<string, unknown>, context: CallContext): Promise<Record<string, unknown>> {
    const before = { ...context, db: parts.database.reader }
    const prepared = await handler.prepare?.(input, before)
    const locked = async (): Promise<Record<string, unknown>> => {
      const assessed = await handler.assess?.(input, prepared, before)
      throwIfGone(context.caller)
      return commit(handler, input, context, prepared, assessed)
    }
    return handler.exclusive ? parts.exclusive.run(await handler.exclusive(input, before), locked) : locked()
  }

  async function commit(
    handler: WriteHandler,
    input: Record<string, unknown>,
    context: CallContext,
    prepared: unknown,
    assessed: unknown,
  ): Promise<Record<string, unknown>> {
    const repeat = repeatableOf(handler.contract, input, context)
    return transact(context, async (write) => {
      const kept = repeat && (await keptAnswer(write.tx, repeat, context.now))
      if (kept) return kept
      const made = await handler.run(input, write, prepared, assessed)
      if (repeat) await keepAnswer(write.tx, repeat, made, context.now, handler.contract.onRepeat === 'refuse' ? 'secret' : 'kept')
      return made
    })
  }

  async function runBatch(handler: BatchHandler, input: Record<string, unknown>, context: CallContext): Promise<Record<string, unknown>> {
    const repeat = repeatableOf(handler.contract, input, context)
    const kept = repeat && (await parts.database.transaction((tx) => keptAnswer(tx, repeat, context.now)))
    if (kept) return kept
    throwIfGone(context.caller)
    const made = await handler.runAll(input, { ...context, db: parts.database.reader })
    if (repeat)
      await parts.database.transaction(async (tx) => {
        const number = await parts.numbers.enter(tx, repeat.org)
        const since = context.erasureSince ?? number
        // What the answer quotes may be gone by now.
        const isOld = !RAISES_FENCES.has(handler.contract.name) && number > since && (await isFencedSince(tx, context.identity, since))
        await keepAnswer(tx, repeat, made, context.now, isOld ? 'erased' : 'kept')
      })
    return made
  }

  /** What an erasure overtook is read, embedded and judged again: nothing of it goes into a row. */
  async function write(handler: WriteHandler | BatchHandler, input: Record<string, unknown>, context: CallContext) {
    for (let look = 1; ; look++) {
      const since = { ...context, erasureSince: parts.numbers.known(context.identity.org) }
      try {
        return await ('runAll' in handler ? runBatch(handler, input, since) : runWrite(handler, input, since))
      } catch (error) {
        if (look === MOST_LOOKS || !isFencedMeanwhile(error)) throw error
      }
    }
  }

  async function dispatch(handler: Handler, input: Record<string, unknown>, context: CallContext): Promise<Record<string, unknown>> {
    if (parts.fill.isCold && !ANSWERS_COLD.has(handler.contract.name as OpName)) await parts.fill.filledSoon()
    if (handler.kind === 'read') return handler.run(input, { ...context, db: parts.database.reader })
    return write(handler, input, context)
  }

  return async function runOp(name, rawInput, calledBy) {
    const handler = find(name)
    const { contract } = handler
    const { sync } = parts
    const raw = (typeof rawInput === 'object' && rawInput !== null ? rawInput : {}) as Readonly<Record<string, unknown>>
    const caller = sync?.callerFor(contract, raw, calledBy) ?? calledBy
    const asked = parts.ledger.begin(contract, caller)
    try {
      const onServer = sync !== null && (await sync.isForwarded(contract, raw, caller))
      if (!onServer) requireHost(contract, parts)
      if (contract.role === 'none') parts.rates.checkFailures(caller.address)
      parts.rates.draw(contract, caller)
      const { known, ignored, didYouMean } = knownArguments(contract, rawInput)
      const input = parseArguments(contract, known)
      const { identity, given } = fillIdentity(contract, known, caller, parts.mode === 'single')
      asked.understood(identity, input)
      const context: CallContext = {
        caller,
        actor: actorOf(caller),
        identity,
        given,
        now: new Date(parts.clock()),
        parts,
        degraded: new Set(),
        ...(contract.sync === 'replay' && { replay: { op: contract.name, via: '', args: input } }),
      }
      authorise(contract, context)
      const answer = onServer ? await sync.forward(contract, known, context) : await dispatch(handler, input, context)
      if (parts.config.checkOutputs) contract.output.parse(answer)
      asked.ended('', answer)
      const named = [...ignored, ...((answer['ignored_args'] as readonly string[] | undefined) ?? [])]
      return {
        ...answer,
        ...(named.length > 0 && { ignored_args: named }),
        ...(Object.keys(didYouMean).length > 0 && { did_you_mean: didYouMean }),
      }
    } catch (error) {
      const known = isLoomError(error) ? error : storeError(error)
      asked.ended(known?.code ?? 'INTERNAL')
      if (known) throw known
      parts.log.error({ err: error, op: name, request_id: caller.requestId }, 'operation failed')
      throw new LoomError(
        'INTERNAL',
        `Something went wrong inside Loom. Try again; the log has the cause under ${caller.requestId}.`,
        {},
        { cause: error },
      )
    }
  }
}

function repeatableOf(contract: OpContract, input: Record<string, unknown>, context: CallContext): Repeatable | null {
  const key = context.caller.idempotencyKey
  if (!key || contract.onRepeat === 'again') return null
  const { identity } = context
  return {
    org: identity.org,
    caller: context.caller.claims.token_id || context.actor,
    op: contract.name as OpName,
    key,
    bodySha256: hashBody({ ...input, ...identity }),
    namespace: identity.namespace,
  }
}
