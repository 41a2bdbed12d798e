import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryCopyTo as contract } from '../../../contract/ops/memory/copy_to.ts'
import { actorOf, INSTALL_ORG, type Caller } from '../../caller.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { targetsOf } from '../../read/apply-targets.ts'
import { requireRole } from '../../rights.ts'
import { copyRow } from '../../write/copy-rows.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

/**
 * Who writes where the copies go: the caller, or on the connected org who this desktop's person is there.
 * @throws LoomError INVALID_ARGUMENT for another org, or the same namespace; FORBIDDEN without the role there, or for another
 * agent than the token's.
 */
function writerThere(input: Call, org: string, { identity, caller, parts }: PrepareContext): Caller {
  if (org === identity.org && input.to_namespace === identity.namespace)
    throw new LoomError('INVALID_ARGUMENT', 'to_namespace is where the rows lie. Name another.', { field: 'to_namespace' })
  if (org !== identity.org && (identity.org !== INSTALL_ORG || parts.sync?.connection?.org !== org))
    throw new LoomError(
      'INVALID_ARGUMENT',
      `Rows go to another org from ${INSTALL_ORG} of a desktop alone, and to the one it is connected to.`,
      {
        field: 'to_org',
      },
    )
  const place = { org, namespace: input.to_namespace }
  const there = org === identity.org ? caller : (parts.sync?.callerFor(contract, place, caller) ?? caller)
  requireRole(there, org, input.to_namespace, contract.role, 'to_namespace')
  const { agent } = there.claims
  if (agent !== '' && input.to_agent !== undefined && input.to_agent !== agent)
    throw new LoomError('FORBIDDEN', 'This token is bound to another agent. Leave to_agent out.', { field: 'to_agent' })
  return there
}

export const memoryCopyTo = defineBatch(contract, async (input, context): Promise<Answer> => {
  const { identity, caller, given } = context
  if (caller.claims.own_session)
    throw new LoomError('FORBIDDEN', `${contract.name} is refused to a token bounded to one session. Use another token.`)
  const org = input.to_org ?? identity.org
  const there = writerThere(input, org, context)
  const writing = { ...context, caller: there, actor: actorOf(there) }
  const { heads, missing } = await targetsOf(input, context, given.agent ?? (caller.claims.agent || null))
  const answer: Answer = { copied: [], merged: [], skipped: [], dry_run: input.dry_run }
  for (const head of heads) {
    if (caller.signal?.aborted)
      throw new LoomError('CANCELLED', 'The caller went away. The same call goes on where it stopped: what was copied is there.')
    const { user_id, session_id } = head
    const target = { org, namespace: input.to_namespace, agent: input.to_agent ?? (there.claims.agent || head.agent), user_id, session_id }
    const told = await copyRow(head, target, input, writing)
    if ('copied' in told) answer.copied.push(told.copied)
    else if ('merged' in told) answer.merged.push(told.merged)
    else answer.skipped.push(told.skipped)
  }
  for (const memory_key of missing) answer.skipped.push({ memory_key, reason: 'not_found' })
  return answer
})
