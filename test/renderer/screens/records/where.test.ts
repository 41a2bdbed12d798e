import { describe, expect, it } from 'vitest'
import type { FieldDef } from '../../../../renderer/data/records.ts'
import { operandOf, operatorsOf, predicateOf } from '../../../../renderer/screens/records/where.ts'

const field = (name: string, type: FieldDef['type'], more: Partial<FieldDef> = {}): FieldDef => ({
  name,
  type,
  description: '',
  required: false,
  identity: false,
  ...more,
})
const FIELDS = [
  field('status', 'string', { enum_values: ['open'] }),
  field('amount', 'number'),
  field('hot', 'boolean'),
  field('note', 'string'),
]

describe('filters of records', () => {
  it('ask what they say, in the type of their field', () => {
    expect(predicateOf([], FIELDS)).toEqual({})
    expect(
      predicateOf(
        [
          { field: 'status', by: 'eq', value: 'open' },
          { field: 'amount', by: 'gte', value: '1,5' },
          { field: 'hot', by: 'eq', value: 'false' },
          { field: 'note', by: 'gap', value: '' },
          { field: 'note', by: 'known', value: '' },
          { field: 'gone', by: 'eq', value: 'x' },
        ],
        FIELDS,
      ),
    ).toEqual({
      and: [
        { status: { eq: 'open' } },
        { amount: { gte: 1.5 } },
        { hot: { eq: false } },
        { note: { state: ['unknown', 'absent', 'rejected'] } },
        { note: { state: 'value' } },
      ],
    })
  })

  it('offer what the field has: no order of booleans, no text of numbers', () => {
    expect(operatorsOf(FIELDS[0] as FieldDef)[0]).toBe('eq')
    expect(operatorsOf(FIELDS[1] as FieldDef)).not.toContain('contains')
    expect(operatorsOf(FIELDS[2] as FieldDef)).toEqual(['eq', 'known', 'gap'])
    expect(operatorsOf(FIELDS[3] as FieldDef)[0]).toBe('contains')
  })

  it('take no text for a number', () => {
    expect(['5', ' -1.5 ', '', 'x', 'Infinity', '1e400'].map((text) => operandOf(text, { type: 'number' }))).toEqual([
      5,
      -1.5,
      null,
      null,
      null,
      null,
    ])
  })
})
