import type { Output } from '../../../contract/declare.ts'
import { backupList as contract } from '../../../contract/ops/backup/list.ts'
import { backupsOf } from '../../backup/backups-of.ts'
import { defineRead } from '../../handler.ts'

export const backupList = defineRead(contract, async (_input, context): Promise<Output<typeof contract>> => ({
  backups: await backupsOf(context).list(),
}))
