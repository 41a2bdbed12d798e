import type { Output } from '../../../contract/declare.ts'
import { workingMemoryAcquire as contract } from '../../../contract/ops/working_memory/acquire.ts'
import type { Caller } from '../../caller.ts'
import { defineWrite } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { holdLease, isHeld, leaseTime, takeLease, writeLease, type WorkingLease } from '../../store/working-leases.ts'

type Answer = Output<typeof contract>

const given = ({ lease_id, fence, until }: WorkingLease): Answer => ({
  acquired: true,
  lease_id,
  fence,
  until: until.toISOString(),
  held_by: null,
})

/** Leases exclude across identities: whoever may not see the holder is told that there is one, and until when. */
function held(lease: WorkingLease, caller: Caller): Answer {
  const shown = withinBound(caller, lease) ? lease : { agent: '', session_id: '-', note: '' }
  const { agent, session_id, note } = shown
  const times = { since: lease.since.toISOString(), until: lease.until.toISOString() }
  return { acquired: false, lease_id: null, fence: null, until: null, held_by: { agent, session_id, note, ...times } }
}

export const workingMemoryAcquire = defineWrite(contract, {
  async run({ name, ttl_seconds, lease_id, note }, { tx, identity, now, parts, caller }): Promise<Answer> {
    const lease = await holdLease(tx, parts, identity, name)
    const since = await leaseTime(tx, parts, now)
    const until = new Date(since.getTime() + ttl_seconds * 1000)
    if (lease === null || !isHeld(lease, since)) {
      const fence = parts.versions.next(lease?.fence)
      return given(await takeLease(tx, identity, name, { fence, note, since, until }))
    }
    if (lease.lease_id !== lease_id) return held(lease, caller)
    const renewed = { until, note: note === '' ? lease.note : note }
    await writeLease(tx, lease, renewed)
    return given({ ...lease, ...renewed })
  },
})
