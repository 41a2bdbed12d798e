import type { RecordView } from '../../../contract/record.ts'
import type { FieldDef } from '../../../domain/records/schema.ts'
import { heldNow } from '../../../domain/records/values.ts'
import { storedFields } from '../../store/records.ts'
import type { FoundRecord } from './source.ts'

/** A record as it is answered: every field of the schema of today, one never stated as unknown. */
export function recordView(row: FoundRecord, defs: readonly FieldDef[]): RecordView {
  const stored = storedFields(row)
  return {
    schema: row.schema,
    schema_version: row.schema_version,
    record_key: row.record_key,
    record_id: row.record_id,
    fields: Object.fromEntries(defs.map((def) => [def.name, heldNow(stored, def)])),
    status: row.status,
    version: row.version,
    version_text: row.version.toString(),
    content_sha256: row.content_sha256,
    key_source: row.key_source as RecordView['key_source'],
    created_at: row.created_at.toISOString(),
    first_created_at: row.first_created_at.toISOString(),
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    run_id: row.run_id,
    actor: row.actor,
    source_class: row.source_class as RecordView['source_class'],
    source_trace: row.source_trace,
    source_resource_id: row.source_resource_id,
  }
}
