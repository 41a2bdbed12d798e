import type { ChangeKind } from '../../domain/webhook/event-of.ts'
import type { Head } from '../store/memories.ts'

/** A change to a memory row, as the write core made it. */
export interface RowChange {
  readonly op: string
  readonly kind: ChangeKind
  readonly before: Head | null
  /** The row as it now is; of a scrubbed version with the number of that version. */
  readonly after: Head
  /** The batch could not look up which of its keys are live: nothing is known of the row before (WHK041). */
  readonly unseen?: boolean
  /** Who made it, where that is another than the call: a policy that a call sets off. */
  readonly by?: { readonly actor: string; readonly requestId: string }
}
