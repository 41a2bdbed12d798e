import type { Output } from '../../../contract/declare.ts'
import { workingMemoryDelete as contract } from '../../../contract/ops/working_memory/delete.ts'
import { defineWrite } from '../../handler.ts'
import { lockKeys } from '../../store/memories.ts'
import { dropScratch, isThere, passVersion, scratchAt, scratchLock } from '../../store/working-memory.ts'

export const workingMemoryDelete = defineWrite(contract, {
  async run({ key, if_version }, { tx, identity, now, parts }): Promise<Output<typeof contract>> {
    await lockKeys(tx, parts.database.kind, [scratchLock(identity, key)])
    const row = await scratchAt(tx, identity, key)
    if (!isThere(row, now)) return { found: false, deleted: false }
    passVersion(key, row, if_version)
    await dropScratch(tx, row)
    return { found: true, deleted: true }
  },
})
