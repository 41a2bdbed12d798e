import type { Output } from '../../../contract/declare.ts'
import { syncDisconnect as contract } from '../../../contract/ops/sync/disconnect.ts'
import { INSTALL_ORG } from '../../caller.ts'
import { defineBatch } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { syncOf } from '../../sync/desktop/sync-of.ts'

export const syncDisconnect = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const sync = syncOf(context)
  const server = sync.connection?.serverId ?? ''
  const left = await sync.disconnect({ keepRows: input.keep_rows, discardQueue: input.discard_queue })
  if (left.disconnected) {
    const { actor, caller, now, parts } = context
    const subject = `server:-/-/-/${server}`
    await parts.database.transaction((tx) =>
      writeAudit(tx, [{ op: contract.name, at: now, org: INSTALL_ORG, actor, requestId: caller.requestId, subject, namespace: '' }]),
    )
  }
  return { disconnected: left.disconnected, rows_removed: left.rowsRemoved }
})
