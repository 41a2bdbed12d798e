import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { namespaceSnapshot as contract } from '../../../contract/ops/namespace/snapshot.ts'
import { defineWrite } from '../../handler.ts'
import { takeSnapshot } from '../../store/snapshots.ts'

export const namespaceSnapshot = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const name = input.name ?? context.now.toISOString()
    const made = await takeSnapshot(name, input.note, false, contract.name, context)
    if (!made) throw new LoomError('ALREADY_EXISTS', `There is a snapshot named ${name}. Choose another name.`, { field: 'name' })
    return {
      snapshot_id: made.snapshot_id,
      name: made.name,
      at: made.at.toISOString(),
      version: made.version,
      version_text: made.version.toString(),
      counts: made.counts,
    }
  },
})
