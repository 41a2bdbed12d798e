import { z } from 'zod'
import { Str, U64, id5 } from '../../../common.ts'
import { declareOp } from '../../../declare.ts'
import { FieldsIn, KeySource, RecordKey, RecordStatus, SchemaName } from '../../../record.ts'
import { claimFields } from '../set.ts'

const { run_id, source_class, source_trace, source_resource_id, if_match_sha256 } = claimFields

export const memoryRecordWrite = declareOp({
  name: 'memory.record.write',
  group: 'records',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Writes one typed record, such as a ticket or a customer. Fields left out keep what the record holds.',
  advice:
    'For things that have an identity and exact fields, asked for by predicate (memory.record.query) or summed up (memory.aggregate). ' +
    'Leave record_key out where the schema has identity fields: two writes of one thing then land on one record.',
  input: z.object({
    ...id5,
    run_id,
    schema: SchemaName,
    fields: FieldsIn,
    record_key: RecordKey.optional(),
    if_match_sha256,
    source_class,
    source_trace,
    source_resource_id,
    dry_run: z.boolean().default(false).describe('Check everything and store nothing.'),
  }),
  output: z.object({
    record_key: z.string(),
    key_source: KeySource,
    record_id: z.string(),
    version: U64,
    version_text: z.string(),
    content_sha256: z.string(),
    status: RecordStatus,
    created: z.boolean(),
    noop: z.boolean(),
    changed: z.array(z.string()),
    advisories: z.array(Str),
    dry_run: z.boolean(),
  }),
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SCHEMA_VIOLATION', 'BLACKLISTED'],
  example: { input: { schema: 'ticket', fields: { number: 'INV-2024/001', status: 'open', amount: 99.5 } } },
})
