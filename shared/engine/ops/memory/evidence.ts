import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryEvidence as contract } from '../../../contract/ops/memory/evidence.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { evidenceItems } from '../../read/evidence-items.ts'
import { headAt, headsById, type Head } from '../../store/memories.ts'
import { candidates } from '../../store/resolve.ts'
import { isLive } from '../../write/state.ts'

/** The row at the exact identity, else the newest live one of the key. */
async function headOfKey(key: string, context: ReadContext): Promise<Head | null> {
  const exact = await headAt(context.db, context.identity, key)
  if (exact && withinBound(context.caller, exact) && isLive(exact, context.now)) return exact
  return (await candidates(context.db, key, context)).find((head) => isLive(head, context.now)) ?? null
}

export const memoryEvidence = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { memory_keys: keys, memory_ids: ids, limit } = input
  if ((keys === undefined) === (ids === undefined))
    throw new LoomError('INVALID_ARGUMENT', 'Name memory_keys or memory_ids, one of them.', { field: 'memory_keys' })
  const { identity, caller, now } = context
  const byId = await headsById(context.db, identity.org, ids ?? [])
  const named: { readonly key: string; readonly id: string; readonly head: Head | null }[] = []
  for (const key of keys ?? []) named.push({ key, id: '', head: await headOfKey(key, context) })
  for (const id of ids ?? []) {
    const head = byId.get(id)
    const isMine = head !== undefined && head.namespace === identity.namespace && withinBound(caller, head) && isLive(head, now)
    named.push({ key: '', id, head: isMine ? head : null })
  }
  const items = await evidenceItems(
    named.flatMap(({ head }) => head ?? []),
    context,
  )
  return {
    rows: named.map(({ key, id, head }) => {
      const found = head ? (items.get(head.memory_id) ?? []) : []
      return {
        memory_key: head?.memory_key ?? key,
        memory_id: head?.memory_id ?? id,
        found: head !== null,
        evidence_count: found.length,
        items: found.slice(0, limit),
      }
    }),
  }
})
