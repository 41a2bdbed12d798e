import type { Input, Output } from '../../contract/declare.ts'
import type { memoryPromote } from '../../contract/ops/memory/promote.ts'
import type { WriteContext } from '../handler.ts'
import { writeAudit } from '../store/audit.ts'
import { lockKeys } from '../store/memories.ts'
import { touchNamespace } from '../store/namespaces.ts'
import { candidates, resolveOne } from '../store/resolve.ts'
import { putOnShelf, sharedAt } from '../store/shelf.ts'
import { auditOf } from './revise-row.ts'
import { isLapsed, isLive } from './state.ts'

type Call = Input<typeof memoryPromote>
type Answer = Output<typeof memoryPromote>

/**
 * Lays a copy of the one live row of a key on the shelf of a namespace. The row stays byte for byte; the same
 * version with the same note is left as it lies there.
 * @throws LoomError AMBIGUOUS_KEY
 */
export async function shareRow(input: Call, namespace: string, op: string, context: WriteContext): Promise<Answer> {
  const { tx, identity, now, parts, actor } = context
  const { org } = identity
  const { memory_key } = input
  const refused = (reason: Answer['reason']): Answer => ({
    promoted: false,
    reason,
    memory_key,
    shared_version: 0n,
    shared_version_text: '0',
    replaced: false,
  })
  const keys = new Set([identity.namespace, namespace].map((one) => `${org}/${one}/${memory_key}`))
  await lockKeys(tx, parts.database.kind, [...keys])
  const head = await resolveOne(tx, memory_key, context, (row) => isLive(row, now))
  if (!head) {
    const lapsed = (await candidates(tx, memory_key, context)).some((row) => isLapsed(row, now))
    return refused(lapsed ? 'expired' : 'not_found')
  }
  if (head.sensitivity === 'high') return refused('sensitivity')
  if (head.status === 'conflicted') return refused('conflicted')
  const before = await sharedAt(tx, { org, namespace, memory_key })
  const done: Answer = {
    promoted: true,
    reason: '',
    memory_key,
    shared_version: head.version,
    shared_version_text: head.version.toString(),
    replaced: before !== null,
  }
  if (before?.memory_id === head.memory_id && before.version === head.version && before.note === input.note) return done
  if (!parts.settings.exists(org, namespace)) {
    await touchNamespace(tx, org, namespace, now)
    context.afterCommit(() => parts.settings.sawNamespace(org, namespace))
  }
  await putOnShelf(tx, head, { namespace, note: input.note, actor, at: now })
  await writeAudit(tx, [{ ...auditOf(head, op, context), namespace }])
  context.emit({ type: 'memory.changed', org, namespace, memory_key, memory_id: head.memory_id })
  return done
}
