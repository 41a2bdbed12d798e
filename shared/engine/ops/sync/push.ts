import { syncPush as contract } from '../../../contract/ops/sync/push.ts'
import { defineBatch } from '../../handler.ts'
import { settlePush } from '../../sync/push/push.ts'

export const syncPush = defineBatch(contract, settlePush)
