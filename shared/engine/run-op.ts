import type { OpContract } from '../contract/declare.ts'
import { LoomError, isLoomError } from '../contract/errors.ts'
import type { EngineEvent } from '../contract/events.ts'
import { PLANNED_OPS } from '../contract/planned.ts'
import { REGISTRY } from '../contract/registry.ts'
import { knownArguments, nearestName, parseArguments } from './arguments.ts'
import { actorOf, type Caller } from './caller.ts'
import type { Tx } from './db/database.ts'
import { KeyedMutex } from './db/mutex.ts'
import { storeError } from './db/store-error.ts'
import type { CallContext, Handler, ReadHandler, WriteHandler } from './handler.ts'
import { fillIdentity } from './identity.ts'
import { HANDLERS } from './ops/handlers.ts'
import type { EngineParts } from './parts.ts'
import { requireRole } from './rights.ts'
import { hashBody, keepAnswer, keptAnswer, type Repeatable } from './store/idempotency.ts'

export type RunOp = (name: string, input: unknown, caller: Caller) => Promise<Record<string, unknown>>

/** @throws LoomError UNKNOWN_OPERATION or, for an operation of a later release, NOT_IMPLEMENTED. */
function find(name: string): Handler {
  const handler = Object.hasOwn(HANDLERS, name) ? HANDLERS[name as keyof typeof HANDLERS] : undefined
  if (handler) return handler as unknown as Handler
  if (PLANNED_OPS.includes(name)) throw new LoomError('NOT_IMPLEMENTED', `${name} comes with a later release.`, { op: name })
  const nearest = nearestName(name, [...Object.keys(REGISTRY), ...PLANNED_OPS])
  throw new LoomError(
    'UNKNOWN_OPERATION',
    nearest ? `There is no operation ${name}. Did you mean ${nearest}?` : `There is no operation ${name}. GET /v1/openapi.json lists them.`,
    nearest ? { did_you_mean: nearest } : {},
  )
}

function authorise(contract: OpContract, context: CallContext): void {
  if (contract.identity === 'none') return
  const { org, namespace } = context.identity
  // Operations on an org answer only for the namespaces that the token reaches; they look for themselves.
  if (contract.identity === 'org') {
    if (context.caller.claims.org !== '*' && context.caller.claims.org !== org) requireRole(context.caller, org, '*', contract.role)
  } else requireRole(context.caller, org, namespace, contract.role)
}

function throwIfGone(caller: Caller): void {
  if (caller.signal?.aborted) throw new LoomError('CANCELLED', 'The caller went away; nothing was written.')
}

/** The single pipeline through which every operation runs, whatever the transport. */
export function createRunOp(parts: EngineParts, publish: (event: EngineEvent) => void): RunOp {
  const exclusive = new KeyedMutex()

  async function runWrite(handler: WriteHandler, input: Record<string, unknown>, context: CallContext): Promise<Record<string, unknown>> {
    const before = { ...context, db: parts.database.reader }
    const prepared = await handler.prepare?.(input, before)
    const locked = async (): Promise<Record<string, unknown>> => {
      const assessed = await handler.assess?.(input, prepared, before)
      throwIfGone(context.caller)
      return commit(handler, input, context, prepared, assessed)
    }
    return handler.exclusive ? exclusive.run(await handler.exclusive(input, before), locked) : locked()
  }

  async function commit(
    handler: WriteHandler,
    input: Record<string, unknown>,
    context: CallContext,
    prepared: unknown,
    assessed: unknown,
  ): Promise<Record<string, unknown>> {
    const events: EngineEvent[] = []
    const onCommit: (() => void)[] = []
    const onRollback: ((tx: Tx) => Promise<void>)[] = []
    const repeat = repeatableOf(handler.contract, input, context)
    try {
      const answer = await parts.database.transaction(async (tx) => {
        const kept = repeat && (await keptAnswer(tx, repeat, context.now))
        if (kept) return kept
        const made = await handler.run(
          input,
          {
            ...context,
            tx,
            emit: (event) => void events.push(event),
            afterCommit: (work) => void onCommit.push(work),
            afterRollback: (work) => void onRollback.push(work),
          },
          prepared,
          assessed,
        )
        if (repeat) await keepAnswer(tx, repeat, made, context.now)
        return made
      })
      for (const work of onCommit) work()
      for (const event of events) publish(event)
      return answer
    } catch (error) {
      for (const work of onRollback) await parts.database.transaction(work)
      throw error
    }
  }

  return async function runOp(name, rawInput, caller) {
    const handler = find(name)
    const { contract } = handler
    try {
      const { known, ignored, didYouMean } = knownArguments(contract, rawInput)
      const input = parseArguments(contract, known)
      const { identity, given } = fillIdentity(contract, known, caller, parts.mode === 'single')
      const context: CallContext = {
        caller,
        actor: actorOf(caller),
        identity,
        given,
        now: new Date(parts.clock()),
        parts,
        degraded: new Set(),
      }
      authorise(contract, context)
      const answer =
        handler.kind === 'read'
          ? await (handler as ReadHandler).run(input, { ...context, db: parts.database.reader })
          : await runWrite(handler, input, context)
      if (parts.config.checkOutputs) contract.output.parse(answer)
      const named = [...ignored, ...((answer['ignored_args'] as readonly string[] | undefined) ?? [])]
      return {
        ...answer,
        ...(named.length > 0 && { ignored_args: named }),
        ...(Object.keys(didYouMean).length > 0 && { did_you_mean: didYouMean }),
      }
    } catch (error) {
      if (isLoomError(error)) throw error
      const known = storeError(error)
      if (known) throw known
      parts.log.error({ err: error, op: name, request_id: caller.requestId }, 'operation failed')
      throw new LoomError('INTERNAL', `Something went wrong inside Loom. Try again; the log has the cause under ${caller.requestId}.`, {}, { cause: error })
    }
  }
}

function repeatableOf(contract: OpContract, input: Record<string, unknown>, context: CallContext): Repeatable | null {
  const key = context.caller.idempotencyKey
  if (!key) return null
  const { identity } = context
  return {
    org: identity.org,
    caller: context.caller.claims.token_id || context.actor,
    op: contract.name,
    key,
    bodySha256: hashBody({ ...input, ...identity }),
  }
}
