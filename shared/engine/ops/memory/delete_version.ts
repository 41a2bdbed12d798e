import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryDeleteVersion as contract } from '../../../contract/ops/memory/delete_version.ts'
import { defineWrite } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { headAt, lockKeys } from '../../store/memories.ts'
import { iso, restorableUntil } from '../../store/row-view.ts'
import { deleteRow } from '../../write/delete-row.ts'
import { passGuards } from '../../write/guards.ts'
import { isLive } from '../../write/state.ts'

const NOTHING = { tombstoned: false, restorable_until: null } as const
const UNTOUCHABLE = new Set(['tombstoned', 'proposed'])

export const memoryDeleteVersion = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, parts, caller } = context
    if (input.agent === '*' || input.agent === '-') {
      throw new LoomError('INVALID_ARGUMENT', 'agent must name one agent: this operation looks at one exact identity.', { field: 'agent' })
    }
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const head = await headAt(tx, identity, input.memory_key)
    if (!head || !withinBound(caller, head) || UNTOUCHABLE.has(head.status)) {
      return { ...NOTHING, found: false, reason: 'not_found', memory_id: '', version: null, version_text: '' }
    }
    const found = { found: true, memory_id: head.memory_id }
    if (head.version !== input.version) {
      return { ...NOTHING, ...found, reason: 'version_changed', version: head.version, version_text: head.version.toString() }
    }
    if (isLive(head, now)) passGuards(head, 'delete', now)
    const { dead } = await deleteRow(head, contract.name, context)
    return {
      ...found,
      tombstoned: true,
      reason: '',
      version: dead.version,
      version_text: dead.version.toString(),
      restorable_until: iso(restorableUntil(dead)),
    }
  },
})
