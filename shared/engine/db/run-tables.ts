import type { Generated } from 'kysely'

/** Runs, scratch values and leases of agents, and reviews of what they learned. */
export interface RunTables {
  run: {
    org: string
    namespace: string
    run_id: string
    goal: Generated<string>
    status: string
    implicit: Generated<boolean>
    parent_run_id: Generated<string>
    agent: string
    user_id: string
    session_id: string
    actor: string
    started_at: Date
    completed_at: Date | null
    duration_ms: bigint | null
    final_response: Generated<string>
    confidence: number | null
    reflection: Generated<string>
    metadata: Generated<string>
    memories_used: Generated<string[]>
    recalled_keys: Generated<string[]>
    outcome: Generated<string>
    weight: Generated<number>
    retain: Generated<string>
    grade: Generated<string>
    graded_at: Date | null
    graded_by: Generated<string>
    grade_reason: Generated<string>
    lapsed: Generated<boolean>
    completion_sha256: Generated<string>
    last_event_at: Date
    last_seq: Generated<bigint>
    events: Generated<number>
    tool_calls: Generated<number>
    files: Generated<string[]>
    erasure_seq: Generated<bigint>
  }
  run_event: {
    org: string
    event_id: string
    namespace: string
    agent: string
    user_id: string
    session_id: string
    run_id: string
    seq: bigint
    at: Date
    kind: string
    name: string
    summary: string
    files: string[]
    memory_keys: string[]
    ok: boolean
    code: string
    duration_ms: bigint | null
    erasure_seq: Generated<bigint>
  }
  working_memory: {
    org: string
    namespace: string
    agent: string
    user_id: string
    session_id: string
    key: string
    value: string
    bytes: number
    version: bigint
    updated_at: Date
    expires_at: Date
    erasure_seq: Generated<bigint>
  }
  working_lease: {
    org: string
    namespace: string
    name: string
    lease_id: string
    fence: bigint
    agent: string
    user_id: string
    session_id: string
    note: string
    since: Date
    until: Date
    erasure_seq: Generated<bigint>
  }
  learning_review: {
    org: string
    memory_id: string
    namespace: string
    review: Generated<string>
    content_sha256: string
    reviewed_by: Generated<string>
    reviewed_at: Date | null
    reason: Generated<string>
    erasure_seq: Generated<bigint>
  }
}
