import type { Generated } from 'kysely'

/** Transcripts that wait to be extracted, and kept answers of a language model. */
export interface ExtractionTables {
  extract_queue: {
    org: string
    queue_id: string
    namespace: string
    agent: string
    user_id: string
    session_id: string
    input: string
    messages: number
    claims: string
    request_id: Generated<string>
    attempts: Generated<number>
    due_at: Date
    created_at: Date
    erasure_seq: Generated<bigint>
  }
  llm_cache: {
    org: string
    namespace: string
    user_id: string
    prompt_sha256: string
    agent: string
    session_id: string
    answer: string
    tokens_in: bigint
    tokens_out: bigint
    at: Date
    erasure_seq: Generated<bigint>
  }
}
