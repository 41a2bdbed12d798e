import type { Generated } from 'kysely'
import type { Json } from './json-column.ts'

/** Who may call, and from which device; what a device pushed. */
export interface AccessTables {
  auth_token: {
    token_id: string
    secret_sha256: string
    org: string
    subject: string
    kind: string
    grants: Json
    agent: string
    user_id: string
    own_session: boolean
    session_id: string
    device_id: string
    note: string
    created_at: Date
    created_by: string
    expires_at: Date | null
    last_used_at: Date | null
    revoked_at: Date | null
    revoke_reason: Generated<string>
  }
  pair_code: {
    code_sha256: string
    pair_id: string
    org: string
    subject: string
    kind: string
    grants: Json
    user_id: string
    own_session: boolean
    session_id: string
    created_at: Date
    created_by: string
    expires_at: Date
    redeemed_at: Date | null
    device_id: Generated<string>
    device_key: Generated<string>
  }
  device: {
    org: string
    device_id: string
    name: string
    device_key: string
    token_id: string
    platform: string
    app_version: string
    judge_version: string
    embedding_model: string
    created_at: Date
    last_seen_at: Date | null
    last_push_at: Date | null
    erasure_seq: Generated<bigint>
    revoked_at: Date | null
    revoke_reason: Generated<string>
    wipe: Generated<boolean>
    push_owner: Generated<string>
    push_until: Generated<Date | null>
  }
  sync_change: {
    org: string
    change_id: string
    device_id: string
    outcome: string
    code: string
    conflict_verdict: string
    status: string
    memory_id: string
    holder_id: string
    version: bigint | null
    base_version: bigint | null
    at: Date
  }
}
