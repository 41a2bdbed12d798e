import type { CallInputOf, OpName, OutputOf } from '../../contract/registry.ts'
import type { PrepareContext, WriteHandler } from '../handler.ts'
import type { Given, Identity } from '../identity.ts'
import { transact } from '../transact.ts'

/**
 * Runs an operation of one row for one of many, with the caller's rights, in a transaction of its own: every check and
 * effect is that of the operation itself.
 * @param via the operation of many
 * @param given what the call is taken to have named; left out, all of the identity
 * @throws LoomError as the operation
 */
export async function runInside<N extends OpName>(
  op: N,
  input: CallInputOf<N>,
  at: Identity,
  via: string,
  call: PrepareContext,
  given: Given = at,
): Promise<OutputOf<N>> {
  const handler = call.parts.handlerOf(op) as WriteHandler
  const { org, namespace, agent, user_id, session_id } = at
  const identity = { org, namespace, agent, user_id, session_id }
  const parsed = handler.contract.input.parse(input)
  const replay = { op, via, args: parsed }
  const now = new Date(call.parts.clock())
  const context = { ...call, identity, given: given === at ? identity : given, now, replay }
  const prepared = await handler.prepare?.(parsed, context)
  const work = async (): Promise<unknown> => {
    const assessed = await handler.assess?.(parsed, prepared, context)
    return transact(context, (write) => handler.run(parsed, write, prepared, assessed))
  }
  return (await (handler.exclusive ? call.parts.exclusive.run(await handler.exclusive(parsed, context), work) : work())) as OutputOf<N>
}
