import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPredicate } from '../../../shared/domain/records/predicate.ts'
import type { FieldDef, FieldType, Scalar } from '../../../shared/domain/records/schema.ts'
import { predicateSql } from '../../../shared/engine/read/records/predicate-sql.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const TYPES: Readonly<Record<string, FieldType>> = { word: 'string', amount: 'number', seats: 'integer', hot: 'boolean' }
const DEFS: FieldDef[] = Object.entries(TYPES).map(([name, type]) => ({ name, type, description: '', required: false, identity: false }))

/** What a statement could be broken by, among words of its own. */
const HOSTILE = [
  "'; DROP TABLE loom.memory_record; --",
  "' OR '1'='1",
  '"; SELECT pg_sleep(10)',
  '\\',
  "\\'",
  '$1',
  '$$',
  '%',
  '_',
  '?',
  '/*',
  '--',
  "') OR true --",
  '{"a":1}',
  "'::text",
  '\u2019',
  '\uff07',
]
const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 12 }).map((one) => one.replaceAll('\0', '')),
)
const textual = fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains', 'starts_with')
const ordered = fc.constantFrom('eq', 'ne', 'lt', 'lte', 'gt', 'gte')
const number = fc.double({ noNaN: true, noDefaultInfinity: true })

const leaf = fc.oneof(
  fc.tuple(textual, text).map(([by, value]) => ({ word: { [by]: value } })),
  fc.array(text, { minLength: 1, maxLength: 4 }).map((values) => ({ word: { in: values } })),
  fc.tuple(ordered, number).map(([by, value]) => ({ amount: { [by]: value } })),
  fc.tuple(ordered, fc.integer()).map(([by, value]) => ({ seats: { [by]: value } })),
  fc.boolean().map((value) => ({ hot: value })),
  fc.constantFrom('word', 'amount', 'hot').map((name) => ({ [name]: { state: ['unknown', 'absent'] } })),
  fc
    .tuple(fc.constantFrom('$record_key', '$agent', '$run_id', '$actor'), textual, text)
    .map(([name, by, value]) => ({ [name]: { [by]: value } })),
)
const { predicate } = fc.letrec<{ predicate: object }>((tie) => ({
  predicate: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('predicate'), { minLength: 1, maxLength: 3 }))
      .map(([word, of]) => ({ [word]: of })),
    tie('predicate').map((of) => ({ not: of })),
  ),
}))

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS })
  await loom.call('memory_schema.register', { schema: 'thing', fields: DEFS.map(({ name, type }) => ({ name, type })) })
  for (const [at, word] of HOSTILE.entries())
    await loom.call('memory.record.write', {
      schema: 'thing',
      record_key: `k${at}`,
      fields: { word, amount: at / 7, seats: at, ...(at % 3 === 0 && { hot: at % 2 === 0 }) },
    })
})
afterAll(() => loom.close())

/** The same question, answered from the rows themselves. */
function holds(where: Record<string, unknown>, row: Readonly<Record<string, Scalar | undefined>>): boolean {
  return Object.entries(where).every(([name, told]) => {
    if (name === 'and') return (told as Record<string, unknown>[]).every((one) => holds(one, row))
    if (name === 'or') return (told as Record<string, unknown>[]).some((one) => holds(one, row))
    if (name === 'not') return !holds(told as Record<string, unknown>, row)
    const value = row[name]
    const conditions = typeof told === 'object' ? Object.entries(told as object) : [['eq', told] as const]
    return conditions.every(([by, operand]) => {
      if (by === 'state') return value === undefined && (operand as string[]).includes('unknown')
      if (value === undefined) return false
      const other: unknown = typeof operand === 'string' ? operand.normalize('NFC') : operand
      const order =
        typeof value === 'string' ? Buffer.compare(Buffer.from(value), Buffer.from(String(other))) : Number(value) - Number(other)
      const lower = (one: unknown): string => String(one).toLowerCase()
      switch (by) {
        case 'eq':
          return value === other || order === 0
        case 'ne':
          return order !== 0
        case 'lt':
          return order < 0
        case 'lte':
          return order <= 0
        case 'gt':
          return order > 0
        case 'gte':
          return order >= 0
        case 'in':
          return (operand as string[]).some((one) => one.normalize('NFC') === value)
        case 'contains':
          return lower(value).includes(lower(other))
        default:
          return lower(value).startsWith(lower(other))
      }
    })
  })
}

describe('predicates', () => {
  it('[REC003] bind every operand: no text of a call is ever part of a statement', () => {
    fc.assert(
      fc.property(predicate, (where) => {
        const made = readPredicate(where, DEFS, 'where', () => null)
        if (!('predicate' in made)) return
        const compiled = sql`SELECT ${predicateSql(made.predicate)}`.compile(loom.database.reader)
        // Nothing but the words of the builder: no quotes other than its own names of states and types.
        const own = compiled.sql.replaceAll(/'(?:string|boolean|number|value|unknown|\{\}|)'/g, '')
        expect(own).toMatch(/^[A-Za-z0-9_ $.,():<>=\-"[\]\n|#]*$/)
        expect(own).not.toMatch(/'|--|;|\/\*/)
        expect(compiled.parameters.length).toBe(new Set(compiled.sql.match(/\$\d+/g)).size)
      }),
      { numRuns: 400 },
    )
  })

  it('[REC010] answer what the rows say, whatever they are asked', async () => {
    const rows = HOSTILE.map((word, at) => ({
      key: `k${at}`,
      word: word.normalize('NFC'),
      amount: at / 7,
      seats: at,
      hot: at % 3 === 0 ? at % 2 === 0 : undefined,
    }))
    await fc.assert(
      fc.asyncProperty(predicate, async (where) => {
        const { records } = await loom.call('memory.record.query', { schema: 'thing', where: where as never, limit: 500 })
        // Of names of the record itself only what is asked here is known.
        if (JSON.stringify(where).includes('"$')) return
        const expected = rows.filter((row) => holds(where as Record<string, unknown>, row)).map((row) => row.key)
        expect(records.map((row) => row.record_key).sort()).toEqual(expected.sort())
      }),
      { numRuns: 250 },
    )
    expect((await loom.call('memory.aggregate', { schema: 'thing', function: 'count' })).groups[0]?.n).toBe(HOSTILE.length)
  })
})
