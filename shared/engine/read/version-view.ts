import type { Selectable } from 'kysely'
import { parseJson } from '../../contract/json.ts'
import type { Version } from '../../contract/row.ts'
import type { MemoryVersionTable } from '../db/tables.ts'
import { iso } from '../store/row-view.ts'

type StoredVersion = Selectable<MemoryVersionTable>

const COMPARED = [
  'value',
  'status',
  'memory_type',
  'tags',
  'entities',
  'files',
  'confidence',
  'sensitivity',
  'valid_at',
  'valid_to',
  'expires_at',
  'on_expire',
  'actor',
  'source_class',
  'source_trace',
  'source_resource_id',
  'run_id',
  'conflict_verdict',
] as const satisfies readonly (keyof StoredVersion)[]

/** Fields in which a version differs from the one before it; all of them for the first. */
function changedFields(version: StoredVersion, before: StoredVersion | null): string[] {
  if (before === null) return []
  return COMPARED.filter((field) => JSON.stringify(version[field]) !== JSON.stringify(before[field]))
}

/** A version as memory.history answers it. `before` is the version that it followed. */
export function versionView(version: StoredVersion, before: StoredVersion | null, withValue: boolean): Version {
  return {
    version: version.version,
    version_text: version.version.toString(),
    op: version.op,
    status: version.status as Version['status'],
    conflict_verdict: version.conflict_verdict as Version['conflict_verdict'],
    ...(withValue && { value: version.value === null || version.redacted ? null : (parseJson(version.value) as Version['value']) }),
    content_sha256: version.content_sha256,
    memory_type: version.memory_type as Version['memory_type'],
    tags: version.tags,
    entities: version.entities,
    confidence: version.confidence,
    sensitivity: version.sensitivity as Version['sensitivity'],
    valid_at: iso(version.valid_at),
    valid_to: iso(version.valid_to),
    expires_at: iso(version.expires_at),
    superseded_by: version.superseded_by,
    actor: version.actor,
    source_class: version.source_class as Version['source_class'],
    source_trace: version.source_trace,
    source_resource_id: version.source_resource_id,
    run_id: version.run_id,
    updated_at: version.updated_at.toISOString(),
    server_recorded_at: iso(version.server_recorded_at),
    changed: changedFields(version, before),
    redacted: version.redacted,
    lost: version.lost,
  }
}
