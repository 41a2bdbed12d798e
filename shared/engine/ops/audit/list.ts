import { sql, type RawBuilder } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { auditList as contract, type AuditRow } from '../../../contract/ops/audit/list.ts'
import { defineRead } from '../../handler.ts'
import type { Identity } from '../../identity.ts'
import type { AuditEntry } from '../../store/audit.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { verifyChain } from '../../store/seals.ts'

interface StoredRow extends Required<Omit<AuditEntry, 'requestId' | 'version'>> {
  audit_id: string
  request_id: string
  version: bigint | null
  seal: bigint | null
  row_sha256: string
  scrubbed: boolean
}

function conditionsOf(input: Input<typeof contract>, identity: Identity): RawBuilder<unknown>[] {
  const equal = (['op', 'actor', 'memory_key', 'memory_id', 'request_id'] as const).flatMap((field) =>
    input[field] === undefined ? [] : [sql`${sql.ref(field)} = ${input[field]}`],
  )
  return [
    sql`org = ${identity.org}`,
    sql`namespace = ${identity.namespace}`,
    ...(input.since === undefined ? [] : [sql`at >= ${new Date(input.since)}`]),
    ...(input.until === undefined ? [] : [sql`at < ${new Date(input.until)}`]),
    ...equal,
  ]
}

function viewOf(row: StoredRow): AuditRow {
  return {
    audit_id: row.audit_id,
    at: row.at.toISOString(),
    op: row.op,
    subject: row.subject,
    org: row.org,
    namespace: row.namespace,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    memory_key: row.memory_key,
    memory_id: row.memory_id,
    to_key: row.to_key,
    version: row.version,
    version_text: row.version?.toString() ?? '',
    content_sha256: row.content_sha256,
    actor: row.actor,
    source_class: row.source_class,
    conflict_verdict: row.conflict_verdict,
    run_id: row.run_id,
    request_id: row.request_id,
    origin: row.origin,
    seal: row.seal === null ? null : Number(row.seal),
    row_sha256: row.row_sha256,
    scrubbed: row.scrubbed,
  }
}

export const auditList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity } = context
  const { cursor, limit, verify: _verify, ...filters } = input
  const list = listName(contract.name, identity.namespace, filters)
  const place = readPlace(list, cursor, ['text'])
  const after = place ? [sql`audit_id < ${place[0]}`] : []
  const { rows } = await sql<StoredRow>`SELECT * FROM loom.audit WHERE ${sql.join([...conditionsOf(input, identity), ...after], sql` AND `)}
    ORDER BY audit_id DESC LIMIT ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown.map(viewOf),
    next_cursor: rows.length > limit && last ? writeCursor(list, [last.audit_id]) : null,
    chain: input.verify ? await verifyChain(db, identity.org) : null,
  }
})
