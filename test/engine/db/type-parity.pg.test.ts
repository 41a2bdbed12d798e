import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../shared/engine/db/database.ts'
import { openPostgres } from '../../../shared/engine/db/postgres.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { scratchPglite, type ScratchPglite } from './scratch.ts'

const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)

/** Values of every column type, as they go in; what comes out is compared between the two databases and with `out`. */
const CASES: readonly { readonly type: string; readonly given: unknown; readonly out?: unknown }[] = [
  ...[0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)].map((given) => ({ type: 'int8', given })),
  { type: 'int8', given: 5, out: 5n },
  ...[0, -1, 2_147_483_647].map((given) => ({ type: 'int4', given })),
  ...[0.1, -1.5e300, 5e-324, Number.POSITIVE_INFINITY, Number.NaN].map((given) => ({ type: 'float8', given })),
  ...[true, false].map((given) => ({ type: 'bool', given })),
  ...['', 'a\tb\n', `'"\\{},`, '日本語', 'e\u0301 \u{1F600}', 'NULL', '{}'].map((given) => ({ type: 'text', given })),
  ...[everyByte, new Uint8Array(), everyByte.subarray(10, 20)].map((given) => ({ type: 'bytea', given })),
  ...[new Date(0), new Date('2026-11-30T15:04:05.678Z'), new Date('1899-12-31T23:59:59.999Z'), new Date('9999-12-31T00:00:00Z')].map(
    (given) => ({
      type: 'timestamptz',
      given,
    }),
  ),
  { type: 'timestamptz', given: '2026-02-03T04:05:06.789+02:30', out: new Date('2026-02-03T01:35:06.789Z') },
  ...[[], [''], ['a,b', '"', '\\', 'NULL', '{}', ' ', '日本']].map((given) => ({ type: 'text[]', given })),
  { type: 'jsonb', given: JSON.stringify({ a: [1, 2.5, null, true, 'é"\\'], b: {} }), out: { a: [1, 2.5, null, true, 'é"\\'], b: {} } },
  { type: 'xid8', given: '18446744073709551615' },
  { type: 'bit varying', given: '1011000', out: '1011000' },
  { type: 'bit varying', given: '1'.repeat(384), out: '1'.repeat(384) },
  { type: 'halfvec', given: '[1,-0.5,0.25]', out: '[1,-0.5,0.25]' },
  { type: 'halfvec', given: '[0.12345,-65504]', out: '[0.12347412,-65504]' },
]
const TYPES = [...new Set(CASES.map((one) => one.type))]

describe('values', needs(postgres()), () => {
  let scratch: ScratchDatabase
  let embedded: ScratchPglite
  let databases: readonly [Database, Database]
  beforeAll(async () => {
    scratch = await scratchDatabase()
    embedded = await scratchPglite()
    databases = [embedded.database, await openPostgres({ url: scratch.url })]
  })
  afterAll(async () => {
    await databases[1].close()
    await scratch.drop()
    await embedded.drop()
  })

  const onBoth = <T>(work: (db: Database) => Promise<T>): Promise<[T, T]> => Promise.all([work(databases[0]), work(databases[1])])

  test.each(CASES)('$type of $given is read alike from PGlite and Postgres', async ({ type, given, out = given }) => {
    const read = await onBoth(
      async ({ reader }) => (await sql<{ v: unknown }>`SELECT ${given}::${sql.raw(type)} AS v`.execute(reader)).rows[0]?.v,
    )
    for (const value of read) {
      const plain = value instanceof Uint8Array ? Uint8Array.from(value) : value
      expect(plain).toEqual(out)
      if (given instanceof Uint8Array) expect(value).toBeInstanceOf(Uint8Array)
    }
  })

  test.each(TYPES)('NULL of %s is null on both', async (type) => {
    const read = await onBoth(async ({ reader }) => (await sql<{ v: unknown }>`SELECT NULL::${sql.raw(type)} AS v`.execute(reader)).rows)
    expect(read).toEqual([[{ v: null }], [{ v: null }]])
  })

  test('a statement without parameters goes another road on PGlite, and reads the same', async () => {
    const text = `SELECT 9007199254740993::int8 AS a, '\\x00ff'::bytea AS b, '2026-01-02T03:04:05.678Z'::timestamptz AS c, ARRAY['x','y'] AS d,
      '{"n":1}'::jsonb AS e, 0.1::float8 AS f, true AS g, '[1,2]'::halfvec AS h, count(*) AS n FROM loom.memory`
    const [one, other] = await onBoth(async ({ reader }) => (await sql.raw<Record<string, unknown>>(text).execute(reader)).rows[0])
    expect(one).toEqual(other)
    expect(one).toMatchObject({
      a: 9007199254740993n,
      c: new Date('2026-01-02T03:04:05.678Z'),
      d: ['x', 'y'],
      e: { n: 1 },
      f: 0.1,
      g: true,
      n: 0n,
    })
  })

  test('rows changed are counted alike', async () => {
    const counts = await onBoth(async ({ reader, transaction }) => {
      const at = new Date()
      const insert = () =>
        reader
          .insertInto('org')
          .values({ org: 'counted', created_at: at })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
      const first = await insert()
      const again = await insert()
      const updated = await transaction((tx) =>
        tx.updateTable('org').set({ erasure_seq: 7n }).where('org', '=', 'counted').executeTakeFirst(),
      )
      const gone = await reader.deleteFrom('org').where('org', '=', 'nobody').executeTakeFirst()
      return [first.numInsertedOrUpdatedRows, again.numInsertedOrUpdatedRows, updated.numUpdatedRows, gone.numDeletedRows]
    })
    expect(counts).toEqual([
      [1n, 0n, 1n, 0n],
      [1n, 0n, 1n, 0n],
    ])
  })

  test('the cases hold every type that the schema has, and the schema has the same on both', async () => {
    const types = await onBoth(async ({ reader }) => {
      const { rows } = await sql<{ type: string }>`SELECT DISTINCT format_type(a.atttypid, NULL) AS type FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'loom'::regnamespace AND c.relkind = 'r' AND a.attnum > 0`.execute(
        reader,
      )
      return rows.map((row) => row.type).sort()
    })
    expect(types[0]).toEqual(types[1])
    const names: Record<string, string> = {
      int8: 'bigint',
      int4: 'integer',
      float8: 'double precision',
      bool: 'boolean',
      timestamptz: 'timestamp with time zone',
    }
    expect(TYPES.map((type) => names[type] ?? type).sort()).toEqual(types[1])
  })
})
