import type { Output } from '../../../contract/declare.ts'
import { backupCreate as contract } from '../../../contract/ops/backup/create.ts'
import { backupsOf } from '../../backup/backups-of.ts'
import { INSTALL_ORG } from '../../caller.ts'
import { defineBatch } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'

export const backupCreate = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { actor, caller, now, parts } = context
  const { progress, signal } = caller
  const made = await backupsOf(context).create('manual', input.label, { signal, ...(progress && { tell: progress }) })
  const subject = `backup:-/-/-/${made.backup_id}`
  await parts.database.transaction((tx) =>
    writeAudit(tx, [{ op: contract.name, at: now, org: INSTALL_ORG, actor, requestId: caller.requestId, subject, namespace: '' }]),
  )
  parts.publish({ type: 'backups.changed' })
  return made
})
