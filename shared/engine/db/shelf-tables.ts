import type { Generated } from 'kysely'

/** Shared copies of rows. */
export interface ShelfTables {
  memory_shelf: {
    org: string
    namespace: string
    memory_key: string
    from_namespace: string
    agent: string
    user_id: string
    session_id: string
    memory_id: string
    version: bigint
    value: string
    content_sha256: string
    memory_type: string
    sensitivity: Generated<string>
    tags: Generated<string[]>
    entities: Generated<string[]>
    note: Generated<string>
    actor: string
    at: Date
    erasure_seq: Generated<bigint>
  }
}
