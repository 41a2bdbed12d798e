import type { Output } from '../../../contract/declare.ts'
import { workingMemoryRelease as contract } from '../../../contract/ops/working_memory/release.ts'
import { defineWrite } from '../../handler.ts'
import { holdLease, isHeld, leaseTime, writeLease } from '../../store/working-leases.ts'

export const workingMemoryRelease = defineWrite(contract, {
  async run({ name, lease_id }, { tx, identity, now, parts }): Promise<Output<typeof contract>> {
    const lease = await holdLease(tx, parts, identity, name)
    const at = await leaseTime(tx, parts, now)
    if (lease === null || !isHeld(lease, at) || lease.lease_id !== lease_id) return { released: false }
    await writeLease(tx, lease, { lease_id: '', note: '', until: at })
    return { released: true }
  },
})
