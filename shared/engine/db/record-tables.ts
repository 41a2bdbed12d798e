import type { Generated } from 'kysely'
import type { Json } from './json-column.ts'

/** What a record and its versions share. */
export interface RecordColumns {
  org: string
  namespace: string
  schema: string
  user_id: string
  record_key: string
  record_id: string
  version: bigint
  schema_version: number
  fields: string
  vals: Json
  folds: Json
  states: Json
  content_sha256: string
  key_source: string
  tombstoned: boolean
  agent: string
  session_id: string
  run_id: string
  actor: string
  source_class: string
  source_trace: string
  source_resource_id: string
  reason: string
  created_at: Date
  first_created_at: Date
  erasure_seq: Generated<bigint>
}

/** Typed records and their schemas. */
export interface RecordTables {
  memory_schema: {
    org: string
    namespace: string
    schema: string
    version: number
    status: string
    description: Generated<string>
    fields: string
    created_at: Date
    actor: string
    decided_at: Date | null
    decided_by: Generated<string>
    reason: Generated<string>
  }
  /** Head of each record. */
  memory_record: RecordColumns
  memory_record_version: RecordColumns & {
    changed: string[]
    provisional: Generated<boolean>
    change_id: Generated<string>
    device_id: Generated<string>
  }
}
