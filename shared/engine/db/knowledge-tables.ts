import type { Generated } from 'kysely'

/** Row types of the tables of documents and conversations. */
export interface KnowledgeTables {
  knowledge_document: {
    org: string
    namespace: string
    user_id: string
    document_id: string
    collection: string
    document_key: string
    title: string
    format: string
    source: string
    tags: string[]
    metadata: string
    sensitivity: string
    sensitivity_stated: boolean
    content_sha256: string
    object: string
    text: string
    outline: Generated<string>
    chars: number
    chunks: number
    pages: number | null
    version: bigint
    agent: string
    session_id: string
    actor: string
    source_class: string
    run_id: string
    created_at: Date
    updated_at: Date
    tombstoned_at: Date | null
    rev: Generated<bigint>
    erasure_seq: Generated<bigint>
    erased_by: Generated<string>
    index_rev: Generated<bigint>
  }
  knowledge_chunk: {
    org: string
    document_id: string
    chunk_index: number
    section: string[]
    page: number | null
    line_from: number | null
    line_to: number | null
    start_at: number
    text: string
    sensitivity: string
    tombstoned_at: Date | null
    erasure_seq: Generated<bigint>
    erased_by: Generated<string>
  }
  conversation_thread: {
    org: string
    namespace: string
    user_id: string
    thread_id: string
    title: string
    metadata: string
    sensitivity: string
    messages: number
    last_seq: bigint
    first_at: Date | null
    last_at: Date | null
    agent: string
    session_id: string
    actor: string
    created_at: Date
    updated_at: Date
    tombstoned_at: Date | null
    rev: Generated<bigint>
    erasure_seq: Generated<bigint>
    index_rev: Generated<bigint>
  }
  conversation_message: {
    org: string
    namespace: string
    user_id: string
    thread_id: string
    message_id: string
    seq: bigint
    role: string
    name: string
    content: string
    at: Date
    sensitivity: string
    own_sensitivity: string
    metadata: string
    run_id: string
    agent: string
    session_id: string
    actor: string
    created_at: Date
    tombstoned_at: Date | null
    rev: Generated<bigint>
    erasure_seq: Generated<bigint>
  }
}
