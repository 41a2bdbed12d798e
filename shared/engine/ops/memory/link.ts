import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryLink as contract } from '../../../contract/ops/memory/link.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { linkBetween, removeLink, writeLink } from '../../store/links.ts'
import { lockKeys, type Head } from '../../store/memories.ts'
import { resolveOne } from '../../store/resolve.ts'
import { auditOf } from '../../write/revise-row.ts'
import { isLive } from '../../write/state.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

async function change(from: Head, to: Head, input: Call, context: WriteContext): Promise<Answer> {
  const { tx, now, actor } = context
  const ends = { org: from.org, from_id: from.memory_id, to_id: to.memory_id, relation: input.relation }
  const known = await linkBetween(tx, ends)
  const nothing: Answer = { linked: false, reason: '', missing: [], link: null }
  if (input.remove && !known) return { ...nothing, reason: 'not_linked' }
  if (input.remove) await removeLink(tx, ends)
  const keeps = known !== null && known.note === input.note
  const link = keeps ? known : { note: input.note, actor, at: now }
  if (!input.remove && !keeps) await writeLink(tx, { ...ends, ...link, namespace: from.namespace })
  if (input.remove || !keeps) {
    await writeAudit(tx, [{ ...auditOf(from, contract.name, context), to_key: to.memory_key }])
    for (const { org, namespace, memory_key, memory_id } of [from, to])
      context.emit({ type: 'memory.changed', org, namespace, memory_key, memory_id })
  }
  if (input.remove) return nothing
  const shown = { from_key: from.memory_key, to_key: to.memory_key, relation: input.relation, note: link.note, actor: link.actor }
  return { linked: true, reason: '', missing: [], link: { ...shown, at: link.at.toISOString() } }
}

export const memoryLink = defineWrite(contract, {
  async run(input, context): Promise<Answer> {
    const { tx, identity, now, parts } = context
    const keys = [input.memory_key, input.to_key]
    await lockKeys(
      tx,
      parts.database.kind,
      keys.map((key) => `${identity.org}/${identity.namespace}/${key}`),
    )
    const from = await resolveOne(tx, input.memory_key, context, (row) => isLive(row, now))
    const to = await resolveOne(tx, input.to_key, context, (row) => isLive(row, now))
    if (!from || !to) {
      const missing = keys.filter((_key, at) => [from, to][at] === null)
      return { linked: false, reason: 'not_found', missing: [...new Set(missing)], link: null }
    }
    if (from.memory_id === to.memory_id) {
      throw new LoomError('INVALID_ARGUMENT', 'Both ends are one row. Name another to_key.', { field: 'to_key' })
    }
    return change(from, to, input, context)
  },
})
