import type { Output } from '../../../contract/declare.ts'
import type { syncPush } from '../../../contract/ops/sync/push.ts'
import type { PrepareContext } from '../../handler.ts'

/** The push that a change came with. */
export interface PushCall {
  readonly context: PrepareContext
  readonly org: string
  readonly deviceId: string
  /** Milliseconds by which the server's clock is ahead of the device's. */
  readonly aheadMs: number
}

export type ChangeResult = Output<typeof syncPush>['results'][number]

/** A change as it came: only its id is known to be there. */
export type RawChange = Readonly<Record<string, unknown>> & { readonly change_id: string }
