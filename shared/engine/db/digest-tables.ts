import type { Generated } from 'kysely'

/** Write-ups of what changed in a period. */
export interface DigestTables {
  memory_digest: {
    org: string
    digest_id: string
    namespace: string
    user_id: string
    period: string
    period_start: Date
    period_end: Date
    memory_ids: string[]
    written: bigint
    revised: bigint
    retired: bigint
    deleted: bigint
    model: Generated<string>
    at: Date
    erasure_seq: Generated<bigint>
  }
}
