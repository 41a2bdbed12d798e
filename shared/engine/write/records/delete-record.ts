import type { Input, Output } from '../../../contract/declare.ts'
import type { memoryRecordDelete } from '../../../contract/ops/memory/record/delete.ts'
import { searchable } from '../../../domain/records/values.ts'
import type { WriteContext } from '../../handler.ts'
import { holdSchema, requireSchema } from '../../store/record-schemas.ts'
import { appendRecordVersion, pushedBy, recordId, storedFields } from '../../store/records.ts'
import { passPrecondition } from '../claim-answer.ts'
import { STAMPS } from '../plan.ts'
import { auditRecord, holdRecord } from './write-record.ts'

type Answer = Output<typeof memoryRecordDelete>

/**
 * Writes a tombstone version, which keeps what the record held last. No live record: nothing is done.
 * @throws LoomError NOT_FOUND for the schema, PRECONDITION_FAILED
 */
export async function deleteRecord(op: string, input: Input<typeof memoryRecordDelete>, context: WriteContext): Promise<Answer> {
  const { tx, identity, parts, now, actor, caller } = context
  await holdSchema(tx, parts.database.kind, identity, input.schema, 'shared')
  const schema = await requireSchema(tx, identity, input.schema)
  const head = await holdRecord(context, recordId(identity, schema.name, input.record_key))
  if (head === null || head.tombstoned) return { found: false, tombstoned: false, version: 0n, version_text: '0' }
  passPrecondition(input.if_match_sha256, head)
  const version = parts.versions.next(head.version)
  const { agent, session_id } = identity
  const source = { source_class: STAMPS[caller.claims.kind], source_trace: '', source_resource_id: '' }
  const row = { ...head, ...source, version, agent, session_id, run_id: '', actor, reason: input.reason }
  await appendRecordVersion(tx, {
    ...row,
    ...searchable(storedFields(head)),
    changed: [],
    tombstoned: true,
    created_at: now,
    ...pushedBy(tx),
  })
  await auditRecord(op, row, '', context)
  context.emit({ type: 'records.changed', org: row.org, namespace: row.namespace })
  return { found: true, tombstoned: true, version, version_text: version.toString() }
}
