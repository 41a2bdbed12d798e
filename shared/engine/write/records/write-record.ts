import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import type { memoryRecordWrite } from '../../../contract/ops/memory/record/write.ts'
import {
  changedFields,
  fieldsJson,
  knownValues,
  mergeFields,
  readFields,
  searchable,
  violationsOf,
  type Fields,
  type FieldValue,
  type Violation,
} from '../../../domain/records/values.ts'
import type { WriteContext } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { lockKeys } from '../../store/memories.ts'
import { touchNamespace } from '../../store/namespaces.ts'
import { holdSchema, requireSchema, type ActiveSchema } from '../../store/record-schemas.ts'
import { appendRecordVersion, pushedBy, recordHead, recordId, storedFields, type RecordRow } from '../../store/records.ts'
import { sha256 } from '../../store/sha256.ts'
import { countBlacklistHit, passBlacklist } from '../blacklist.ts'
import { passPrecondition } from '../claim-answer.ts'
import { STAMPS } from '../plan.ts'
import { derivedKey, requireDerivedKey } from './derived-key.ts'
import { finds } from './finds.ts'

export type RecordInput = Omit<Input<typeof memoryRecordWrite>, 'org' | 'namespace' | 'agent' | 'user_id' | 'session_id'>
type Answer = Output<typeof memoryRecordWrite>

/** @throws LoomError SCHEMA_VIOLATION with all of them */
export function refuseViolations(schema: string, violations: readonly Violation[]): void {
  const [first] = violations
  if (!first) return
  const more = violations.length > 1 ? ` and ${violations.length - 1} more` : ''
  throw new LoomError('SCHEMA_VIOLATION', `The record breaks ${schema}: ${first.message}${more}. Nothing was stored.`, {
    field: `fields.${first.field}`,
    violations,
  })
}

/** Held against every other write of the record until the transaction ends. */
export async function holdRecord({ tx, identity, parts }: WriteContext, id: string): Promise<RecordRow | null> {
  await lockKeys(tx, parts.database.kind, [`record:${identity.org}/${id}`])
  return recordHead(tx, identity.org, id)
}

/** One audit row of a changed record: hashes, and no value. */
export async function auditRecord(
  op: string,
  row: Pick<RecordRow, 'record_key' | 'version' | 'content_sha256' | 'source_class'>,
  run_id: string,
  context: WriteContext,
): Promise<void> {
  const { tx, identity, now, actor, caller } = context
  const { org, namespace, agent, user_id, session_id } = identity
  const { record_key, version, content_sha256, source_class } = row
  const subject = `record:${agent}/${user_id}/${session_id}/${record_key}`
  const place = { org, namespace, agent, user_id, session_id, run_id }
  await writeAudit(tx, [{ op, at: now, actor, requestId: caller.requestId, subject, ...place, version, content_sha256, source_class }])
}

async function passStrings(told: ReadonlyMap<string, FieldValue>, context: WriteContext): Promise<void> {
  const { tx, identity, now } = context
  const strings = [...told.values()].flatMap((held) => ('value' in held && typeof held.value === 'string' ? [held.value] : []))
  if (strings.length === 0) return
  await passBlacklist(tx, identity.org, identity.namespace, strings.length === 1 ? (strings[0] ?? '') : strings, (id, patternOrg) =>
    context.afterRollback((after) => countBlacklistHit(after, patternOrg, id, now)),
  )
}

/** Advice: another live record has the key that the identity fields make. */
async function advise(key: string, merged: Fields, schema: ActiveSchema, { tx, identity }: WriteContext): Promise<string[]> {
  const derived = derivedKey(schema, knownValues(Object.entries(merged)))
  if (derived === null || derived === key) return []
  const other = await recordHead(tx, identity.org, recordId(identity, schema.name, derived))
  return other && !other.tombstoned ? ['identity_elsewhere'] : []
}

/**
 * Writes one record: schema, names and types, key, merge with what is stored, constraints on the whole, blacklist,
 * precondition, in this order. Any refusal stores nothing (REC009, REC018, REC020).
 * @throws LoomError NOT_FOUND, SCHEMA_VIOLATION, MISSING_IDENTITY_FIELD, BLACKLISTED, PRECONDITION_FAILED
 */
export async function writeRecord(op: string, input: RecordInput, context: WriteContext): Promise<Answer> {
  const { tx, identity, parts, now, actor, caller } = context
  await holdSchema(tx, parts.database.kind, identity, input.schema, 'shared')
  const schema = await requireSchema(tx, identity, input.schema)
  const { fields: told, violations } = readFields(input.fields, schema.fields)
  refuseViolations(schema.name, violations)
  const record_key = input.record_key ?? requireDerivedKey(schema, knownValues(told))
  const key_source = input.record_key === undefined ? 'identity' : 'given'
  const id = recordId(identity, schema.name, record_key)
  const head = await holdRecord(context, id)
  const live = head?.tombstoned === false ? head : null
  const before = live ? storedFields(live) : {}
  const merged = mergeFields(told, before, schema.fields)
  refuseViolations(schema.name, violationsOf(merged, schema.fields, finds))
  await passStrings(told, context)
  passPrecondition(input.if_match_sha256, live)

  const changed = changedFields(merged, before)
  const noop = live !== null && changed.length === 0
  const advisories = key_source === 'given' ? await advise(record_key, merged, schema, context) : []
  const fields = fieldsJson(merged)
  const stores = !noop && !input.dry_run
  const version = stores ? parts.versions.next(head?.version) : (head?.version ?? 0n)
  const content_sha256 = noop ? live.content_sha256 : sha256(fields)
  if (stores) {
    const { org, namespace, user_id, agent, session_id } = identity
    const source_class = input.source_class ?? STAMPS[caller.claims.kind]
    const source = { source_class, source_trace: input.source_trace ?? '', source_resource_id: input.source_resource_id ?? '' }
    const made = { record_key, version, content_sha256, key_source: live?.key_source ?? key_source, ...source }
    await touchNamespace(tx, org, namespace, now)
    await appendRecordVersion(tx, {
      org,
      namespace,
      schema: schema.name,
      user_id,
      record_id: id,
      schema_version: schema.version,
      fields,
      changed,
      tombstoned: false,
      agent,
      session_id,
      run_id: input.run_id,
      actor,
      reason: '',
      created_at: now,
      first_created_at: head?.first_created_at ?? now,
      ...searchable(merged),
      ...made,
      ...pushedBy(tx),
    })
    await auditRecord(op, made, input.run_id, context)
    context.emit({ type: 'records.changed', org, namespace })
  }
  return {
    record_key,
    key_source,
    record_id: id,
    version,
    version_text: version.toString(),
    content_sha256,
    status: 'active',
    created: live === null,
    noop,
    changed,
    advisories,
    dry_run: input.dry_run,
  }
}
