import type { Output } from '../../../contract/declare.ts'
import { memoryDelete as contract } from '../../../contract/ops/memory/delete.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { headAt, headsOfKey, lockKeys, type Head } from '../../store/memories.ts'
import { ambiguous } from '../../store/resolve.ts'
import { restorableUntil } from '../../store/row-view.ts'
import { passGuards } from '../../write/guards.ts'
import { isLive } from '../../write/state.ts'
import { deleteRow } from '../../write/delete-row.ts'

/** The live row of the exact identity; else of the key under any agent and session, of the user_id given (CHG023). */
async function victim(key: string, context: WriteContext): Promise<Head | null> {
  const { tx, identity, given, now, caller } = context
  const exact = await headAt(tx, identity, key)
  if (exact && isLive(exact, now) && withinBound(caller, exact)) return exact
  const narrow = given.user_id === undefined ? {} : { user_id: given.user_id }
  const live = (await headsOfKey(tx, identity.org, identity.namespace, key, narrow)).filter(
    (head) => isLive(head, now) && withinBound(caller, head),
  )
  if (live.length > 1) throw ambiguous(key, live)
  return live[0] ?? null
}

export const memoryDelete = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, parts } = context
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const head = await victim(input.memory_key, context)
    if (!head)
      return { found: false, tombstoned: false, memory_id: '', version: 0n, version_text: '0', restorable_until: null, summaries: [] }
    passGuards(head, 'delete', now)
    const { dead, summaries } = await deleteRow(head, contract.name, context)
    return {
      found: true,
      tombstoned: true,
      memory_id: dead.memory_id,
      version: dead.version,
      version_text: dead.version.toString(),
      restorable_until: restorableUntil(dead)?.toISOString() ?? null,
      summaries,
    }
  },
})
