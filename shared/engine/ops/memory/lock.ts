import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryLock as contract } from '../../../contract/ops/memory/lock.ts'
import type { LockMode } from '../../../contract/common.ts'
import { defineWrite } from '../../handler.ts'
import { atLeast, roleIn } from '../../rights.ts'
import { memoryAudit, writeAudit } from '../../store/audit.ts'
import { writeGuards, type Head } from '../../store/memories.ts'
import { candidates, resolveOne } from '../../store/resolve.ts'
import { lockView } from '../../store/row-view.ts'
import { isExpired, isLive, lockOf } from '../../write/state.ts'

/** read_only is stricter than no_delete, and no end is stricter than any end (CHG038, CHG039). */
function loosens(head: Head, mode: LockMode, until: Date | null, now: Date): boolean {
  const lock = lockOf(head, now)
  if (!lock) return false
  const weaker = lock.mode === 'read_only' && mode === 'no_delete'
  const earlier = until !== null && (head.lock_until === null || until < head.lock_until)
  return weaker || earlier
}

export const memoryLock = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, now, actor, identity } = context
    if (input.until && input.ttl_seconds !== undefined) {
      throw new LoomError('INVALID_ARGUMENT', 'until and ttl_seconds both name an end. Send one.', { field: 'until' })
    }
    const until = input.until ? new Date(input.until) : input.ttl_seconds ? new Date(now.getTime() + input.ttl_seconds * 1000) : null
    if (until !== null && until <= now) throw new LoomError('INVALID_ARGUMENT', 'until must be ahead.', { field: 'until' })
    const head = await resolveOne(tx, input.memory_key, context, (row) => isLive(row, now))
    if (!head) {
      const expired = (await candidates(tx, input.memory_key, context)).some((row) => isExpired(row, now))
      return { locked: false, reason: expired ? 'expired' : 'not_found', memory_id: '', lock: null }
    }
    if (loosens(head, input.mode, until, now) && !atLeast(roleIn(context.caller.claims, identity.org, identity.namespace), 'admin')) {
      throw new LoomError('FORBIDDEN', 'Loosening a lock needs admin.', { role_needed: 'admin' })
    }
    const guards = {
      lock_mode: input.mode,
      lock_reason: input.reason,
      locked_by: input.locked_by ?? actor,
      lock_until: until,
      lock_actor: actor,
      locked_at: now,
    }
    await writeGuards(tx, head.org, head.memory_id, guards)
    await writeAudit(tx, [memoryAudit(head, { op: contract.name, at: now, actor, requestId: context.caller.requestId })])
    context.emit({ type: 'memory.changed', org: head.org, namespace: head.namespace, memory_key: head.memory_key, memory_id: head.memory_id })
    return { locked: true, reason: '', memory_id: head.memory_id, lock: lockView({ ...head, ...guards }, now) }
  },
})
