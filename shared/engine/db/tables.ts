import type { ColumnType, Generated } from 'kysely'
import type { AccessTables } from './access-tables.ts'
import type { DigestTables } from './digest-tables.ts'
import type { ErasureTables } from './erasure-tables.ts'
import type { ExtractionTables } from './extraction-tables.ts'
import type { Json } from './json-column.ts'
import type { KnowledgeTables } from './knowledge-tables.ts'
import type { RecordTables } from './record-tables.ts'
import type { RunTables } from './run-tables.ts'
import type { ShelfTables } from './shelf-tables.ts'
import type { WebhookTables } from './webhook-tables.ts'

/** Row types of the tables, as both databases give them: int8 as bigint, timestamptz as Date, bytea as Uint8Array. */

export interface VersionColumns {
  org: string
  namespace: string
  agent: string
  user_id: string
  session_id: string
  memory_key: string
  memory_id: string
  version: bigint
  value: string | null
  excerpt: string
  memory_type: string
  status: string
  conflict_verdict: string
  sensitivity: string
  sensitivity_stated: boolean
  content_sha256: string
  canonical_sha256: string
  tags: string[]
  entities: string[]
  files: string[]
  confidence: number
  valid_at: Date | null
  valid_to: Date | null
  temporal_anchor: Date | null
  temporal_confidence: number | null
  expires_at: Date | null
  on_expire: string
  expire_reason: string
  expiry_cleared: boolean
  actor: string
  source_class: string
  source_trace: string
  source_resource_id: string
  run_id: string
  superseded_by: string
  superseded_at: Date | null
  duplicate_of: string
  canonical_key: string
  invalid_at: Date | null
  tombstoned_at: Date | null
  redacted: boolean
  chunks: number
  created_at: Date
  updated_at: Date
  server_recorded_at: Date | null
  provisional: boolean
  erasure_seq: bigint
  erased_by: string
}

export interface GuardColumns {
  pinned: boolean
  char_limit: number | null
  lock_mode: string
  lock_reason: string
  locked_by: string
  lock_until: Date | null
  lock_actor: string
  locked_at: Date | null
  verified_by: string
  verified_at: Date | null
  verified_sha256: string
}

/** Head of one identity and key. */
export interface MemoryTable extends VersionColumns, GuardColumns {
  rev: bigint
}
export interface MemoryVersionTable extends VersionColumns {
  op: string
  lost: Generated<boolean>
  retired_cause: Generated<string>
  retired_reason: Generated<string>
  retired_confidence: Generated<number | null>
  retired_by_version: Generated<bigint | null>
  change_id: Generated<string>
  device_id: Generated<string>
  said_at: Generated<Date | null>
}

export interface UsageColumns {
  reinforcement_count: Generated<bigint>
  recall_count: Generated<bigint>
  served_count: Generated<bigint>
  used_count: Generated<bigint>
  used_cited_count: Generated<bigint>
  acted_count: Generated<bigint>
  harm_count: Generated<bigint>
  evidence_count: Generated<bigint>
  negative_streak: Generated<bigint>
  /** Operation to how often it served the row. */
  served_by: ColumnType<unknown, string | undefined, string>
  last_recalled_at: Date | null
}

/** Of rows that an erasure without purge stamps and keeps. */
interface Erasable {
  erasure_seq: Generated<bigint>
  tombstoned_at: Generated<Date | null>
  erased_by: Generated<string>
}

export interface Tables
  extends
    AccessTables,
    DigestTables,
    ErasureTables,
    ExtractionTables,
    KnowledgeTables,
    RecordTables,
    RunTables,
    ShelfTables,
    WebhookTables {
  instance: { instance_id: string; created_at: Date; server_id: Generated<string> }
  org: { org: string; erasure_seq: Generated<bigint>; created_at: Date }
  namespace: {
    org: string
    namespace: string
    registered: Generated<boolean>
    settings: Json
    created_at: Date
    updated_at: Date
  }
  memory: MemoryTable
  memory_version: MemoryVersionTable
  memory_usage: UsageColumns & { org: string; memory_id: string }
  memory_embedding: Erasable & { org: string; memory_id: string; axis: string; model: string; code: string; vec: string }
  memory_chunk: Erasable & { org: string; memory_id: string; position: number; text: string }
  memory_relation: {
    org: string
    memory_id: string
    position: number
    subject: string
    predicate: string
    object: string
    erasure_seq: Generated<bigint>
  }
  memory_link: {
    org: string
    namespace: string
    from_id: string
    to_id: string
    relation: string
    note: string
    actor: string
    at: Date
    erasure_seq: Generated<bigint>
    tombstoned_at: Generated<Date | null>
    erased_by: Generated<string>
  }
  namespace_category: {
    org: string
    namespace: string
    category_key: string
    category: string
    description: string
    retired: boolean
    actor: string
    created_at: Date
    updated_at: Date
  }
  memory_category: {
    org: string
    namespace: string
    memory_key: string
    category_key: string
    actor: string
    at: Date
    rescinded_at: Date | null
    erasure_seq: Generated<bigint>
  }
  memory_outcome: {
    org: string
    memory_id: string
    run_id: string
    outcome: string
    weight: number
    note: string
    actor: string
    at: Date
    erasure_seq: Generated<bigint>
  }
  memory_summary: Erasable & { org: string; memory_id: string; version: bigint; source_id: string }
  memory_pair: {
    org: string
    pair_id: string
    namespace: string
    kind: string
    state: string
    row_id: string
    peer_id: string
    relation: string
    similarity: number
    reason: string
    confidence: number
    unsure: boolean
    origin: string
    judge_version: string
    at: Date
    resolution: Generated<string>
    settled_by: Generated<string>
    settled_at: Date | null
    row_sha256: Generated<string>
    peer_sha256: Generated<string>
    undo: Generated<string>
    peer_version: Generated<bigint | null>
    erasure_seq: Generated<bigint>
  }
  memory_lexical: { org: string; memory_id: string; collapse_group: string; version: bigint; erasure_seq: Generated<bigint> }
  blacklist: {
    org: string
    blacklist_id: string
    namespace: string
    scope: string
    pattern_type: string
    pattern: string
    reason: string
    created_by: string
    actor: string
    created_at: Date
    hits: Generated<bigint>
    last_hit_at: Date | null
  }
  audit: {
    org: string
    audit_id: string
    at: Date
    op: string
    subject: string
    namespace: string
    agent: string
    user_id: string
    session_id: string
    memory_key: string
    memory_id: string
    to_key: string
    version: bigint | null
    content_sha256: string
    actor: string
    source_class: string
    conflict_verdict: string
    run_id: string
    request_id: string
    origin: string
    salt: Uint8Array
    row_sha256: string
    seal: bigint | null
    scrubbed: Generated<boolean>
    erasure_seq: Generated<bigint>
  }
  audit_seal: { org: string; seal: bigint; rows: number; prev_hash: string; hash: string; at: Date; dropped: Generated<boolean> }
  worker_lease: { worker: string; owner: string; expires_at: Date | null; ran_at: Date | null }
  job: { job_id: string; worker: string; org: string; namespace: string; state: Json; created_at: Date; updated_at: Date }
  namespace_snapshot: {
    org: string
    namespace: string
    snapshot_id: string
    name: string
    note: string
    at: Date
    version: bigint
    counts: Json
    actor: string
    automatic: Generated<boolean>
  }
  idempotency: {
    org: string
    caller: string
    op: string
    idempotency_key: string
    body_sha256: string
    answer: string
    created_at: Date
    namespace: Generated<string>
    erasure_seq: Generated<bigint>
  }
}
