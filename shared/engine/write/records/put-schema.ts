import { LoomError } from '../../../contract/errors.ts'
import { compactJson } from '../../../domain/claim/stored-form.ts'
import type { Json } from '../../../domain/claim/json.ts'
import { incompatibility, type FieldDef } from '../../../domain/records/schema.ts'
import type { WriteContext } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { touchNamespace } from '../../store/namespaces.ts'
import {
  addSchemaVersion,
  changeSchemaVersion,
  fieldsOf,
  hasRecords,
  holdSchema,
  versionsOfSchema,
  type SchemaRow,
} from '../../store/record-schemas.ts'
import { checkSchema } from './check-schema.ts'

interface Told {
  readonly schema: string
  readonly description: string
  readonly fields: readonly FieldDef[]
}

/** @throws LoomError ALREADY_EXISTS naming the field, once records exist */
export async function passCompatible(active: SchemaRow | undefined, fields: readonly FieldDef[], context: WriteContext): Promise<void> {
  const fault = active && incompatibility(fieldsOf(active), fields)
  if (!fault || !(await hasRecords(context.tx, context.identity, active.schema))) return
  throw new LoomError(
    'ALREADY_EXISTS',
    `${active.schema} has records, and ${fault.field} ${fault.message}. Keep type and identity of a field, or use another schema.`,
    { field: fault.field, version: active.version },
  )
}

/** One audit row of a changed schema; windows hear of it. */
export async function auditSchema(
  op: string,
  { schema, version }: Pick<SchemaRow, 'schema' | 'version'>,
  context: WriteContext,
): Promise<void> {
  const { tx, identity, now, actor, caller } = context
  const { org, namespace } = identity
  const subject = `schema:-/-/-/${schema}`
  await writeAudit(tx, [{ op, at: now, org, actor, requestId: caller.requestId, subject, namespace, version: BigInt(version) }])
  context.emit({ type: 'records.changed', org, namespace })
}

/** Makes a version the one that rules, in place of the one before. */
export async function retireActive(active: SchemaRow | undefined, { tx }: WriteContext): Promise<void> {
  if (active) await changeSchemaVersion(tx, active, { status: 'superseded' })
}

const canonical = ({ description, fields }: Pick<Told, 'description' | 'fields'>): string =>
  compactJson({ description, fields: fields as unknown as Json })

/**
 * Stores a schema as its next version, unless the version of that status says the same already.
 * @throws LoomError INVALID_ARGUMENT for a schema that is not sound, ALREADY_EXISTS for one that its records do not allow
 */
export async function putSchema(
  op: string,
  { schema, description, fields }: Told,
  status: 'active' | 'proposed',
  reason: string,
  context: WriteContext,
): Promise<{ schema: string; version: number; status: 'active' | 'proposed'; created: boolean }> {
  const { tx, identity, now, actor, parts } = context
  const { org, namespace } = identity
  checkSchema(fields)
  await holdSchema(tx, parts.database.kind, identity, schema, 'alone')
  const versions = await versionsOfSchema(tx, identity, schema)
  const told = canonical({ description, fields })
  const same = versions.find((row) => row.status === status && canonical({ description: row.description, fields: fieldsOf(row) }) === told)
  if (same) return { schema, version: same.version, status, created: false }
  const active = versions.find((row) => row.status === 'active')
  await passCompatible(active, fields, context)
  const version = (versions[0]?.version ?? 0) + 1
  await touchNamespace(tx, org, namespace, now)
  if (status === 'active') await retireActive(active, context)
  const decided = status === 'active' ? { decided_at: now, decided_by: actor } : {}
  const text = compactJson(fields as unknown as Json)
  await addSchemaVersion(tx, {
    org,
    namespace,
    schema,
    version,
    status,
    description,
    fields: text,
    created_at: now,
    actor,
    reason,
    ...decided,
  })
  await auditSchema(op, { schema, version }, context)
  return { schema, version, status, created: true }
}
