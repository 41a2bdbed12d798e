import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryLock as contract } from '../../../contract/ops/memory/lock.ts'
import { defineWrite } from '../../handler.ts'
import { lockKeys } from '../../store/memories.ts'
import { candidates, resolveOne } from '../../store/resolve.ts'
import { lockView } from '../../store/row-view.ts'
import { lockRow } from '../../write/lock-row.ts'
import { isLapsed, isLive } from '../../write/state.ts'

export const memoryLock = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, now, actor, identity, parts } = context
    if (input.until && input.ttl_seconds !== undefined) {
      throw new LoomError('INVALID_ARGUMENT', 'until and ttl_seconds both name an end. Send one.', { field: 'until' })
    }
    const until = input.until ? new Date(input.until) : input.ttl_seconds ? new Date(now.getTime() + input.ttl_seconds * 1000) : null
    if (until !== null && until <= now) throw new LoomError('INVALID_ARGUMENT', 'until must be ahead.', { field: 'until' })
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const head = await resolveOne(tx, input.memory_key, context, (row) => isLive(row, now))
    if (!head) {
      const expired = (await candidates(tx, input.memory_key, context)).some((row) => isLapsed(row, now))
      return { locked: false, reason: expired ? 'expired' : 'not_found', memory_id: '', lock: null }
    }
    const lock = { mode: input.mode, reason: input.reason, lockedBy: input.locked_by ?? actor, until }
    const locked = await lockRow(head, lock, contract.name, context)
    return { locked: true, reason: '', memory_id: head.memory_id, lock: lockView(locked, now) }
  },
})
