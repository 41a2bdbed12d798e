import type { Output } from '../../../contract/declare.ts'
import { namespaceExport as contract } from '../../../contract/ops/namespace/export.ts'
import { defineRead } from '../../handler.ts'
import { exportPage } from '../../read/export-page.ts'
import { writeAudit } from '../../store/audit.ts'
import { listName, readCursor, writeCursor } from '../../store/cursor.ts'

export const namespaceExport = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { identity, now, actor, caller, parts } = context
  const { org, namespace } = identity
  const list = listName(contract.name, `${org}/${namespace}`, input)
  const page = await exportPage(input, readCursor(list, input.cursor), context)
  const subject = `namespace:-/-/-/${namespace}`
  // Who took what: one row a call, and no key.
  await parts.database.transaction((tx) =>
    writeAudit(tx, [{ op: contract.name, at: now, org, namespace, actor, requestId: caller.requestId, subject }]),
  )
  return {
    section: input.section,
    rows: [...page.rows],
    count: page.rows.length,
    exported_at: now.toISOString(),
    next_cursor: page.next === null ? null : writeCursor(list, page.next),
  }
})
