import { z } from 'zod'
import { DateTime, JsonValue, MemoryKey, SourceClass, Str, U64 } from './common.ts'

/** Typed records: schemas, values of fields, and records as they are answered. */

export const SchemaName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'must be 1 to 63 of a-z, 0-9 and underscore, starting with a letter')
  .describe('Name of the schema, such as ticket.')

const Scalar = z.union([Str, z.number(), z.boolean()])

export const FieldDef = z.strictObject({
  name: SchemaName.describe('Name of the field; not and, or, not.'),
  description: Str.max(500).default(''),
  type: z.enum(['string', 'number', 'integer', 'boolean']),
  required: z.boolean().default(false),
  identity: z.boolean().default(false).describe('Part of the key that is derived where none is given.'),
  enum_values: z.array(Scalar).min(1).max(256).optional(),
  pattern: Str.min(1).max(500).optional().describe('RE2 syntax, unanchored, on NFC text.'),
  min_length: z.int().min(0).optional().describe('Characters of a string.'),
  max_length: z.int().min(0).optional(),
  min_value: z.number().optional().describe('Inclusive.'),
  max_value: z.number().optional(),
})

/** What memory_schema.register and propose take. */
export const schemaFields = {
  schema: SchemaName,
  description: Str.max(500).default(''),
  fields: z.array(FieldDef).min(1).max(64),
}

export const SchemaStatus = z.enum(['active', 'proposed', 'rejected', 'superseded'])

export const SchemaView = z.object({
  schema: z.string(),
  description: z.string(),
  fields: z.array(FieldDef),
  version: z.int(),
  status: SchemaStatus,
  created_at: DateTime,
  actor: z.string(),
  decided_at: DateTime.nullable(),
  decided_by: z.string(),
  reason: z.string(),
})

/** Of a call: a plain value is short for `{"state":"value","value":…}`. What a value must be, its schema says. */
export const FieldsIn = z
  .record(Str.max(200), JsonValue)
  .refine((fields) => Object.keys(fields).length <= 200, 'must hold at most 200 fields')
  .describe('Values by field: a string, number or boolean, or {"state": "unknown" | "absent" | "rejected" | "value", "value": …}.')

export const FieldState = z.enum(['value', 'unknown', 'rejected', 'absent'])
export const FieldValue = z.object({ state: FieldState, value: Scalar.optional() })

export const RecordKey = MemoryKey.describe('Key of the record; derived from the identity fields when left out.')
export const KeySource = z.enum(['identity', 'given'])
export const RecordStatus = z.enum(['active', 'superseded', 'tombstoned'])

export const recordFields = {
  schema: z.string(),
  schema_version: z.int(),
  record_key: z.string(),
  record_id: z.string(),
  fields: z.record(z.string(), FieldValue),
  status: RecordStatus,
  version: U64,
  version_text: z.string(),
  content_sha256: z.string(),
  key_source: KeySource,
  created_at: DateTime,
  first_created_at: DateTime,
  agent: z.string(),
  user_id: z.string(),
  session_id: z.string(),
  run_id: z.string(),
  actor: z.string(),
  source_class: SourceClass,
  source_trace: z.string(),
  source_resource_id: z.string(),
}
export const RecordView = z.object(recordFields)
export type RecordView = z.infer<typeof RecordView>

/** A predicate; what it may hold, its schema says. */
export const PredicateIn = JsonValue.default({}).describe(
  'One object: {} for all, {"and": […]}, {"or": […]}, {"not": …}, or conditions by field: {"status": "open", "amount": {"gte": 10}}. ' +
    'Operators: eq ne lt lte gt gte in contains starts_with state.',
)
