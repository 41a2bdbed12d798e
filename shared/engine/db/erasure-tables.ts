import type { ColumnType, Generated } from 'kysely'
import type { Json } from './json-column.ts'

/** The ledger of erasures. */
export interface ErasureTables {
  erasure_saga: {
    org: string
    erasure_id: string
    seq: bigint
    scope_type: string
    scope_value: string
    namespaces: string[] | null
    user_id: string
    collection: string
    requester: string
    urgency: string
    purge: boolean
    external: boolean
    status: Generated<string>
    attempts: Generated<number>
    failure_reason: Generated<string>
    requested_at: Date
    completed_at: Generated<Date | null>
    verified_at: Generated<Date | null>
    purged_at: Generated<Date | null>
    census: ColumnType<unknown, string | null | undefined, string | null>
    residue: ColumnType<unknown, string | undefined, string>
    lease_owner: Generated<string>
    lease_until: Generated<Date | null>
    next_attempt_at: Generated<Date | null>
  }
  erasure_step: {
    org: string
    erasure_id: string
    step: string
    attempt: number
    rows_affected: Generated<bigint>
    stores: ColumnType<unknown, string | undefined, string>
    done_at: Generated<Date | null>
  }
  erasure_fence: {
    org: string
    seq: bigint
    namespace: string
    erasure_id: string
    user_sha256: string
    collection: string
    purge: boolean
    requested_at: Date
  }
  erasure_receipt: {
    org: string
    erasure_id: string
    seq: bigint
    device_id: string
    purge: boolean
    rows_affected: bigint
    queue_dropped: bigint
    census: Json
    applied_at: Date
    app_version: string
    signature: string
    clean: boolean
    received_at: Date
  }
}
