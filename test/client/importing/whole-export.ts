import type { Client } from '../../../shared/client/create-client.ts'
import { exportNamespace } from '../../../shared/client/exporting/export-namespace.ts'
import { parseJson, stringifyJson } from '../../../shared/contract/json.ts'

/** An export as it is compared with that of the store that it was read back into. */

/** Kinds of rows that an import does not put back: they are for reading. */
const FOR_READING = new Set(['version', 'record_version', 'op'])

/**
 * What the new store has of its own: its name, the ids that it gives, its clock, who wrote there, and what it counted since.
 * Of a run that is the time at which it was put back; its events keep theirs.
 */
const ITS_OWN = new Set([
  'org',
  'namespace',
  'from_namespace',
  'memory_id',
  'from_id',
  'to_id',
  'row_id',
  'peer_id',
  'pair_id',
  'document_id',
  'record_id',
  'event_id',
  'blacklist_id',
  'duplicate_of',
  'version',
  'version_text',
  'schema_version',
  'seq',
  'last_seq',
  'created_at',
  'updated_at',
  'server_recorded_at',
  'first_created_at',
  'first_at',
  'last_at',
  'last_event_at',
  'assigned_at',
  'started_at',
  'completed_at',
  'graded_at',
  'settled_at',
  'reviewed_at',
  'decided_at',
  'last_hit_at',
  'rescinded_at',
  'actor',
  'assigned_by',
  'settled_by',
  'graded_by',
  'reviewed_by',
  'decided_by',
  'created_by',
  'verified_by',
  'lapsed',
  'origin',
  'conflict_verdict',
  'resolution',
  'derived_from',
  'reinforcement_count',
  'recall_count',
  'served_count',
  'used_count',
  'used_cited_count',
  'acted_count',
  'harm_count',
  'evidence_count',
  'last_recalled_at',
  'hits',
  'changed',
  'rev',
])

/** Of some sections besides: when a link was made, and how long a value had left when it was put back. */
const ITS_OWN_IN: Readonly<Record<string, readonly string[]>> = { links: ['at'], working_memory: ['expires_at'] }

type Row = Readonly<Record<string, unknown>>

/** What reads tell of a record: the fields of the active schema that somebody stated. Its hash is of the fields that were then. */
function recordAsRead({ content_sha256: _hash, fields, ...rest }: Row, active: ReadonlySet<string>): Row {
  const told = Object.entries(fields as Record<string, { state: string }>).filter(
    ([name, { state }]) => active.has(name) && state !== 'unknown',
  )
  return { ...rest, fields: Object.fromEntries(told) }
}

/**
 * A lock without who set it, and when. Whether a live row stands against another is found anew: the one that it stood
 * against may be gone, and the background pass that sees so may not have come by.
 */
function memoryAsRead({ lock, status, canonical_key: _key, ...rest }: Row): Row {
  const stands = status === 'conflicted' || status === 'duplicate' ? 'active' : status
  if (!lock) return { ...rest, status: stands }
  const { mode, reason, until } = lock as Record<string, unknown>
  return { ...rest, status: stands, lock: { mode, reason, until } }
}

/** Every row that an import puts back, without what the new store has of its own, in an order of its own. */
export async function comparable(client: Client, namespace: string): Promise<string[]> {
  const rows: string[] = []
  const active = new Map<unknown, Set<string>>()
  for await (const { section, row } of exportNamespace(client, { namespace })) {
    if (row?.['row_kind'] === 'schema' && row['status'] === 'active')
      active.set(row['schema'], new Set((row['fields'] as { name: string }[]).map((field) => field.name)))
    if (row === null || section === 'history' || FOR_READING.has(String(row['row_kind'])) || row['kind'] === 'op') continue
    // A copy that is older than its row is not for a new store to make.
    if (row['row_kind'] === 'shared' && row['is_level'] === false) continue
    if (section === 'schemas' && row['status'] !== 'active' && row['status'] !== 'proposed') continue
    const shown =
      row['row_kind'] === 'record'
        ? recordAsRead(row, active.get(row['schema']) ?? new Set())
        : section === 'memory'
          ? memoryAsRead(row)
          : row
    const kept = Object.entries(shown)
      .filter(([name]) => !ITS_OWN.has(name) && !ITS_OWN_IN[section]?.includes(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
    rows.push(`${section} ${stringifyJson(Object.fromEntries(kept))}`)
  }
  return rows.toSorted()
}

export async function exported(client: Client, namespace: string): Promise<string> {
  const all: string[] = []
  for await (const { text } of exportNamespace(client, { namespace })) all.push(text)
  return all.join('\n')
}

/** Rows of an export by their section. */
export function rowsOf(text: string, section: string): Record<string, unknown>[] {
  let now = ''
  return text.split('\n').flatMap((line) => {
    const row = parseJson(line) as Record<string, unknown>
    if (row['loom_export'] !== undefined) now = String(row['section'])
    return row['loom_export'] === undefined && now === section ? [row] : []
  })
}
