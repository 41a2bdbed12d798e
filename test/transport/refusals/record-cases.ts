import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { bad, blocked, BLOCKED, BLOCKED_BY, cursor, type Ground, type Made, type Refusal, WRONG_SHA } from './refusal.ts'

/** Refusals of typed records. */

const FIELDS: CallInputOf<'memory_schema.register'>['fields'] = [
  { name: 'number', type: 'string', identity: true, required: true },
  { name: 'status', type: 'string', required: true, enum_values: ['open', 'closed'] },
  { name: 'amount', type: 'number', min_value: 0 },
  { name: 'note', type: 'string' },
  { name: 'paid', type: 'boolean' },
]
const KEY = 'ticket/inv1'
const at = { schema: 'ticket', record_key: KEY }
const write = (fields: object): object => ({ schema: 'ticket', fields: { number: 'INV-1', status: 'open', ...fields } })

const written = async (ground: Ground, user_id = '-'): Promise<Made> => {
  const fields = { number: 'INV-1', status: 'open' }
  const { content_sha256, record_id } = await ground.call('memory.record.write', { agent: 'default', user_id, schema: 'ticket', fields })
  return { content_sha256, record_id }
}
const ticket = async (ground: Ground): Promise<Made> => {
  await ground.call('memory_schema.register', { schema: 'ticket', fields: FIELDS })
  return written(ground)
}
const ofTwoUsers = async (ground: Ground): Promise<Made> => {
  const records = [await ticket(ground), await written(ground, 'u1')]
  return { ids: records.map(({ record_id }) => record_id) }
}
const proposed = async (ground: Ground): Promise<void> =>
  void (await ground.call('memory_schema.propose', { schema: 'ticket', fields: FIELDS, reason: 'For the help desk.' }))

const noSchema = (op: Refusal['op'], input: object): Refusal[] => [
  { op, code: 'NOT_FOUND', what: 'a schema that nobody registered', input, detail: { field: 'schema' } },
  {
    op,
    code: 'NOT_FOUND',
    what: 'a schema that is proposed alone',
    before: proposed,
    input,
    detail: { field: 'schema', proposed_version: 1 },
  },
]
const ofTwo = (op: Refusal['op']): Refusal => ({
  op,
  code: 'AMBIGUOUS_KEY',
  what: 'a key that records of two users have',
  before: ofTwoUsers,
  input: at,
  detail: ({ ids }: Made) => ({
    field: 'user_id',
    candidates: ['-', 'u1'].map((user_id, nth) => ({
      org: 'dev',
      agent: 'default',
      user_id,
      session_id: '-',
      record_key: KEY,
      record_id: (ids as readonly string[])[nth],
    })),
  }),
})
const stale = (op: Refusal['op'], input: object): Refusal => ({
  op,
  code: 'PRECONDITION_FAILED',
  what: 'a hash that no longer holds',
  before: ticket,
  input: { ...input, if_match_sha256: WRONG_SHA },
  detail: ({ content_sha256 }: Made) => ({ current_sha256: content_sha256 }),
})
const violates = (op: Refusal['op'], what: string, input: object, rules: readonly (readonly [string, string])[]): Refusal => ({
  op,
  code: 'SCHEMA_VIOLATION',
  what,
  before: ticket,
  input,
  detail: { field: `fields.${rules[0]?.[0]}`, violations: rules.map(([field, rule]) => ({ field, rule })) },
})
const keyless = (op: Refusal['op'], what: string, fields: object): Refusal => ({
  op,
  code: 'MISSING_IDENTITY_FIELD',
  what,
  before: ticket,
  input: { schema: 'ticket', fields },
  detail: { field: 'fields.number' },
})
const badRecord = (op: Refusal['op'], what: string, field: string, input: object, more: object = {}): Refusal =>
  bad(op, what, field, { schema: 'ticket', ...input }, ticket, more)

export const RECORD_CASES: readonly Refusal[] = [
  ...noSchema('memory.record.write', write({})),
  ...noSchema('memory.record.get', at),
  ...noSchema('memory.record.delete', at),
  ...noSchema('memory.record.query', { schema: 'ticket' }),
  ...noSchema('memory.record.history', at),
  ...noSchema('memory.record.conflicts', at),
  ...noSchema('memory.aggregate', { schema: 'ticket', function: 'count' }),

  ofTwo('memory.record.get'),
  ofTwo('memory.record.history'),

  stale('memory.record.write', write({ status: 'closed' })),
  stale('memory.record.delete', at),
  {
    ...stale('memory.record.write', { ...write({}), record_key: 'ticket/never' }),
    what: 'a hash of a record that never was',
    detail: { current_sha256: '' },
  },

  violates('memory.record.write', 'names and types that are wrong', write({ shade: 'red', amount: '5' }), [
    ['shade', 'unknown_field'],
    ['amount', 'type'],
  ]),
  violates('memory.record.write', 'values that break their constraints', write({ status: 'lost', amount: -1 }), [
    ['status', 'enum_values'],
    ['amount', 'min_value'],
  ]),
  violates('memory.record.write', 'a required field that is not known', write({ status: { state: 'unknown' } }), [['status', 'required']]),
  violates('memory.record.get', 'an identity field of another type', { schema: 'ticket', fields: { number: 5 } }, [['number', 'type']]),

  keyless('memory.record.write', 'no identity field', { status: 'open' }),
  keyless('memory.record.write', 'an identity field that leaves no key', { number: '---', status: 'open' }),
  keyless('memory.record.get', 'no identity field', {}),

  {
    op: 'memory.record.write',
    code: 'BLACKLISTED',
    what: 'a string that a pattern refuses',
    before: async (ground) => (await ticket(ground), blocked(ground)),
    input: write({ note: BLOCKED }),
    detail: BLOCKED_BY,
  },

  cursor('memory.record.query', { schema: 'ticket' }, ticket),
  cursor('memory.record.history', at, ticket),
  cursor('memory.record.conflicts', at, ticket),

  badRecord('memory.record.get', 'a key and fields', 'record_key', { record_key: KEY, fields: { number: 'INV-1' } }),
  badRecord(
    'memory.record.query',
    'a mistyped field',
    'where.or[1].amuont',
    { where: { or: [{}, { amuont: 1 }] } },
    {
      did_you_mean: { amuont: 'amount' },
    },
  ),
  badRecord('memory.record.query', 'an operand of another type', 'where.amount.gt', { where: { amount: { gt: '5' } } }),
  badRecord('memory.record.conflicts', 'no such field', 'field', { field: 'shade' }),
  badRecord('memory.aggregate', 'a sum of texts', 'field', { function: 'sum', field: 'note' }),
  badRecord('memory.aggregate', 'the least of a boolean', 'field', { function: 'min', field: 'paid' }),
  badRecord('memory.aggregate', 'no such field', 'field', { function: 'avg', field: 'shade' }),
  badRecord('memory.aggregate', 'nothing to sum', 'field', { function: 'sum' }),
]
