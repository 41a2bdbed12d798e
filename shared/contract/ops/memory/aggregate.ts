import { z } from 'zod'
import { DateTimeIn, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { PredicateIn, SchemaName } from '../../record.ts'

/** A number that a double cannot carry is an integer of any length, or its decimal text. */
const GroupValue = z.union([z.number(), z.string(), z.custom<bigint>((input) => typeof input === 'bigint').meta({ type: 'integer' })])

export const memoryAggregate = declareOp({
  name: 'memory.aggregate',
  group: 'records',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'search',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Counts typed records, or sums, averages and finds the least and greatest of a field, in groups.',
  input: z.object({
    ...id5,
    schema: SchemaName,
    function: z.enum(['count', 'sum', 'avg', 'min', 'max']),
    field: Str.min(1).max(200).optional().describe('Required but for count, which then counts its values.'),
    where: PredicateIn,
    as_of: DateTimeIn.optional(),
    group_by: z.array(Str.min(1).max(200)).max(3).default([]).describe('Fields, or $agent, $run_id, $actor.'),
    limit: z.int().min(1).max(1000).default(100).describe('Groups answered.'),
  }),
  output: z.object({
    groups: z.array(
      z.object({
        key: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
        value: GroupValue.nullable(),
        n: z.int().describe('Records with a value of the field; records, where there is none.'),
      }),
    ),
    total_groups: z.int(),
    truncated: z.boolean(),
  }),
  errors: ['NOT_FOUND'],
  example: { input: { schema: 'ticket', function: 'sum', field: 'amount', group_by: ['status'] } },
})
