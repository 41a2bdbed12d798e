import { createHash, randomBytes } from 'node:crypto'
import { CompiledQuery, type Selectable } from 'kysely'
import { v7 } from 'uuid'
import { compactJson } from '../../domain/claim/stored-form.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { provenanceOf } from './provenance.ts'

/** One changed thing, as the audit log tells it: hashes and ids, never a value. */
export interface AuditEntry {
  readonly op: string
  readonly at: Date
  readonly org: string
  readonly actor: string
  readonly requestId: string
  readonly origin?: 'local' | 'push' | 'worker'
  /** `<kind>:<agent>/<user_id>/<session_id>/<name>` */
  readonly subject: string
  readonly namespace?: string
  readonly agent?: string
  readonly user_id?: string
  readonly session_id?: string
  readonly memory_key?: string
  readonly memory_id?: string
  readonly to_key?: string
  readonly version?: bigint | null
  readonly content_sha256?: string
  readonly source_class?: string
  readonly conflict_verdict?: string
  readonly run_id?: string
}

/** A changed memory row, as an audit entry. */
export function memoryAudit(
  row: {
    readonly org: string
    readonly namespace: string
    readonly agent: string
    readonly user_id: string
    readonly session_id: string
    readonly memory_key: string
    readonly memory_id: string
    readonly version: bigint
    readonly content_sha256: string
    readonly source_class: string
    readonly conflict_verdict: string
    readonly run_id: string
  },
  call: { readonly op: string; readonly at: Date; readonly actor: string; readonly requestId: string },
): AuditEntry {
  return {
    ...call,
    org: row.org,
    subject: `memory:${row.agent}/${row.user_id}/${row.session_id}/${row.memory_key}`,
    namespace: row.namespace,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    memory_key: row.memory_key,
    memory_id: row.memory_id,
    version: row.version,
    content_sha256: row.content_sha256,
    source_class: row.source_class,
    conflict_verdict: row.conflict_verdict,
    run_id: row.run_id,
  }
}

/** Columns that the hash of an audit row covers: all but the salt, the seal and the hash itself. */
const HASHED = [
  'org', 'audit_id', 'at', 'op', 'subject', 'namespace', 'agent', 'user_id', 'session_id', 'memory_key', 'memory_id', 'to_key', 'version',
  'content_sha256', 'actor', 'source_class', 'conflict_verdict', 'run_id', 'request_id', 'origin',
] as const satisfies readonly (keyof Tables['audit'])[] // prettier-ignore

/** SHA-256 of the salt and the row's canonical JSON. */
export function auditRowHash(row: Pick<Selectable<Tables['audit']>, (typeof HASHED)[number]>, salt: Uint8Array): string {
  const hashed = Object.fromEntries(HASHED.map((column) => [column, column === 'at' ? row.at.toISOString() : row[column]])) as Json
  return createHash('sha256').update(salt).update(compactJson(hashed)).digest('hex')
}

const AUDIT_COLUMNS = [...HASHED, 'salt', 'row_sha256'] as const
const INSERT_AUDIT = `INSERT INTO loom.audit (${AUDIT_COLUMNS.join(', ')}) VALUES (${AUDIT_COLUMNS.map((_, at) => `$${at + 1}`).join(', ')})`

/** Writes audit rows with the change that they tell of. `row_sha256` is salted, so that no hash can be guessed back. */
export async function writeAudit(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  const pushed = provenanceOf(tx) ? 'push' : null
  const rows = entries.map((entry) => {
    const row = {
      org: entry.org,
      audit_id: v7(),
      at: entry.at,
      op: entry.op,
      subject: entry.subject,
      namespace: entry.namespace ?? '',
      agent: entry.agent ?? '',
      user_id: entry.user_id ?? '',
      session_id: entry.session_id ?? '',
      memory_key: entry.memory_key ?? '',
      memory_id: entry.memory_id ?? '',
      to_key: entry.to_key ?? '',
      version: entry.version ?? null,
      content_sha256: entry.content_sha256 ?? '',
      actor: entry.actor,
      source_class: entry.source_class ?? '',
      conflict_verdict: entry.conflict_verdict ?? '',
      run_id: entry.run_id ?? '',
      request_id: entry.requestId,
      origin: entry.origin ?? pushed ?? (entry.actor.startsWith('worker:') ? 'worker' : 'local'),
    }
    const salt = new Uint8Array(randomBytes(16))
    return { ...row, salt, row_sha256: auditRowHash(row, salt), seal: null }
  })
  // Most writes leave one: building the statement anew takes as long as running it.
  for (const row of rows)
    await tx.executeQuery(
      CompiledQuery.raw(
        INSERT_AUDIT,
        AUDIT_COLUMNS.map((column) => row[column]),
      ),
    )
}
