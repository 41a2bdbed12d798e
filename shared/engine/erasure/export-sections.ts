import { sql, type RawBuilder } from 'kysely'
import type { ErasureExportSection, ExportSection } from '../../contract/ops/erasure/export.ts'
import { parseJson } from '../../contract/json.ts'
import type { Tx } from '../db/database.ts'
import { attachedOf } from '../store/attached.ts'
import { triplesOfMany } from '../store/attachments.ts'
import type { Head } from '../store/memories.ts'
import { rowView, usageOf } from '../store/row-view.ts'
import { inNamespace, placed, type Condition, type Scope } from './scope.ts'

interface ExportOptions {
  readonly scope: Pick<Scope, 'org' | 'namespaces' | 'userId'>
  /** Rows of each section. */
  readonly limit: number
  readonly tombstoned: boolean
  /** Bytes of text of the conversations. */
  readonly maxBytes: number
  readonly now: Date
}

type Rows = ErasureExportSection['rows']

/** Only where rows are is asked of these. */
const scopeFor = (scope: ExportOptions['scope']): Scope => ({ ...scope, seq: 0n, erasureId: '', collection: '', purge: false })

const section = (found: readonly unknown[], limit: number, view: (row: never) => unknown): ErasureExportSection => ({
  rows: found.slice(0, limit).map((row) => view(row as never)) as Rows,
  truncated: found.length > limit,
})

async function memories(tx: Tx, { scope, limit, tombstoned, now }: ExportOptions): Promise<ErasureExportSection> {
  const live = tombstoned ? sql`true` : sql`t.status <> 'tombstoned'`
  const { rows } = await sql<Head>`SELECT t.* FROM loom.memory t WHERE ${placed('t', scopeFor(scope))} AND t.erased_by = '' AND ${live}
    ORDER BY t.memory_key, t.namespace, t.memory_id LIMIT ${limit + 1}`.execute(tx)
  const ids = rows.map((row) => row.memory_id)
  const [usage, attached, triples] = [
    await usageOf(tx, scope.org, ids),
    await attachedOf(tx, scope.org, ids),
    await triplesOfMany(tx, scope.org, ids),
  ]
  return section(rows, limit, (head: Head) =>
    rowView(head, usage.get(head.memory_id), triples.get(head.memory_id) ?? [], now, attached.get(head.memory_id)),
  )
}

interface ChunkRow {
  readonly document_id: string
  readonly created_at: Date
}

async function chunks(tx: Tx, { scope, limit }: ExportOptions): Promise<ErasureExportSection> {
  const { rows } =
    await sql<ChunkRow>`SELECT t.document_id, t.collection, t.title, array_to_string(c.section, ' / ') AS section, c.chunk_index, c.text,
      t.source, t.actor AS created_by, t.created_at
    FROM loom.knowledge_document t JOIN loom.knowledge_chunk c ON c.org = t.org AND c.document_id = t.document_id
    WHERE ${placed('t', scopeFor(scope))} AND t.erased_by = '' AND c.erased_by = '' AND t.tombstoned_at IS NULL
    ORDER BY t.namespace, t.document_id, c.chunk_index LIMIT ${limit + 1}`.execute(tx)
  return section(rows, limit, (row: ChunkRow) => ({ ...row, created_at: row.created_at.toISOString() }))
}

interface MessageRow {
  readonly thread_id: string
  readonly message_id: string
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly role: string
  readonly content: string
  readonly sensitivity: string
  readonly at: Date
  readonly tombstoned_at: Date | null
}

const identityOf = (org: string, { namespace, agent, user_id, session_id }: Omit<MessageRow, 'at'> | ThreadRow) => ({
  org,
  namespace,
  agent,
  user_id,
  session_id,
})

const liveOnly = (tombstoned: boolean): RawBuilder<unknown> => (tombstoned ? sql`true` : sql`t.tombstoned_at IS NULL`)

/** Until the text passes the budget; the message that crosses it is whole. */
async function messages(tx: Tx, { scope, limit, tombstoned, maxBytes }: ExportOptions): Promise<ErasureExportSection> {
  const { rows } = await sql<
    MessageRow & { bytes_before: bigint }
  >`SELECT * FROM (SELECT t.thread_id, t.message_id, t.namespace, t.agent, t.user_id,
        t.session_id, t.role, t.content, t.sensitivity, t.at, t.tombstoned_at, t.seq,
        coalesce(sum(octet_length(t.content)) OVER (ORDER BY t.at, t.thread_id, t.seq, t.message_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::int8 AS bytes_before
      FROM loom.conversation_message t WHERE ${placed('t', scopeFor(scope))} AND ${liveOnly(tombstoned)}) m
    ORDER BY m.at, m.thread_id, m.seq, m.message_id LIMIT ${limit + 1}`.execute(tx)
  const within = rows.findIndex((row) => row.bytes_before >= BigInt(maxBytes))
  const kept = within === -1 ? rows.length : within
  return {
    ...section(rows.slice(0, kept), limit, ({ bytes_before: _bytes, ...row }: MessageRow & { bytes_before: bigint }) => ({
      thread_id: row.thread_id,
      message_id: row.message_id,
      identity: identityOf(scope.org, row),
      role: row.role,
      content: row.content,
      sensitivity: row.sensitivity,
      at: row.at.toISOString(),
      tombstoned_at: row.tombstoned_at?.toISOString() ?? null,
    })),
    truncated: rows.length > Math.min(limit, kept),
  }
}

interface ThreadRow {
  readonly thread_id: string
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly title: string
  readonly metadata: string
  readonly sensitivity: string
  readonly created_at: Date
  readonly tombstoned_at: Date | null
}

async function threads(tx: Tx, { scope, limit, tombstoned }: ExportOptions): Promise<ErasureExportSection> {
  const { rows } =
    await sql<ThreadRow>`SELECT t.* FROM loom.conversation_thread t WHERE ${placed('t', scopeFor(scope))} AND ${liveOnly(tombstoned)}
    ORDER BY t.created_at, t.namespace, t.thread_id, t.user_id LIMIT ${limit + 1}`.execute(tx)
  return section(rows, limit, (row: ThreadRow) => ({
    thread_id: row.thread_id,
    identity: identityOf(scope.org, row),
    title: row.title,
    metadata: parseJson(row.metadata),
    sensitivity: row.sensitivity,
    created_at: row.created_at.toISOString(),
    tombstoned_at: row.tombstoned_at?.toISOString() ?? null,
  }))
}

interface RequestRow extends Omit<ThreadRow, 'thread_id' | 'title' | 'metadata' | 'sensitivity' | 'created_at' | 'tombstoned_at'> {
  readonly run_id: string
  readonly seq: bigint
  readonly at: Date
  readonly name: string
  readonly memory_keys: string[]
  readonly ok: boolean
  readonly code: string
  readonly duration_ms: bigint | null
}

async function requests(tx: Tx, { scope, limit }: ExportOptions): Promise<ErasureExportSection> {
  const { rows } = await sql<RequestRow>`SELECT t.* FROM loom.run_event t WHERE ${placed('t', scopeFor(scope))} AND t.kind = 'op'
    ORDER BY t.at DESC, t.event_id DESC LIMIT ${limit + 1}`.execute(tx)
  return section(rows, limit, (row: RequestRow) => ({
    at: row.at.toISOString(),
    identity: { org: scope.org, namespace: row.namespace, agent: row.agent, user_id: row.user_id, session_id: row.session_id },
    run_id: row.run_id,
    seq: row.seq,
    name: row.name,
    memory_keys: row.memory_keys,
    ok: row.ok,
    code: row.code,
    duration_ms: row.duration_ms,
  }))
}

/** A user in the audit: as the user of a row, as a word of the name at the end of its subject, or as its actor. */
function ofUser(userId: string): Condition {
  const escaped = userId.replaceAll(/[^\p{L}\p{N}]/gu, (letter) => `\\${letter}`)
  const word = `(^|[^[:alnum:]])${escaped}([^[:alnum:]]|$)`
  const name = sql`regexp_replace(t.subject, '^[^:]*:[^/]*/[^/]*/[^/]*/', '')`
  return sql<boolean>`(t.user_id = ${userId} OR split_part(split_part(t.subject, ':', 2), '/', 2) = ${userId} OR ${name} ~ ${word} OR t.actor = ${`human:${userId}`})`
}

interface AuditLine {
  readonly audit_id: string
  readonly at: Date
  readonly version: bigint | null
  readonly seal: bigint | null
}

async function audit(tx: Tx, { scope, limit }: ExportOptions): Promise<ErasureExportSection> {
  const which = scope.userId === '' ? inNamespace('t', scopeFor(scope)) : ofUser(scope.userId)
  const { rows } =
    await sql<AuditLine>`SELECT t.audit_id, t.at, t.op, t.subject, t.org, t.namespace, t.agent, t.user_id, t.session_id, t.memory_key,
      t.memory_id, t.to_key, t.version, t.content_sha256, t.actor, t.source_class, t.conflict_verdict, t.run_id, t.request_id, t.origin, t.seal,
      t.row_sha256, t.scrubbed
    FROM loom.audit t WHERE t.org = ${scope.org} AND ${which} ORDER BY t.audit_id DESC LIMIT ${limit + 1}`.execute(tx)
  return section(rows, limit, (row: AuditLine) => ({
    ...row,
    at: row.at.toISOString(),
    version_text: row.version?.toString() ?? '',
    seal: row.seal === null ? null : Number(row.seal),
  }))
}

/** The six sections of an export, of one moment: the transaction that reads them. */
export async function exportSections(tx: Tx, options: ExportOptions): Promise<Record<ExportSection, ErasureExportSection>> {
  return {
    memory: await memories(tx, options),
    knowledge: await chunks(tx, options),
    conversations: await messages(tx, options),
    conversation_threads: await threads(tx, options),
    agent_events: await requests(tx, options),
    audit_log: await audit(tx, options),
  }
}
