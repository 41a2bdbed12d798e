import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scratchPglite, type ScratchPglite } from './scratch.ts'

describe('prepared statements of the one session', () => {
  let scratch: ScratchPglite
  beforeAll(async () => {
    scratch = await scratchPglite()
    await sql.raw('CREATE TABLE loom.kept (n int8, words text[], at timestamptz, raw bytea, extra jsonb)').execute(scratch.database.reader)
  })
  afterAll(() => scratch.drop())

  const run = (text: string, values: readonly unknown[]) =>
    scratch.database.reader.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]))

  test('values of every type come back as they went in, again and again', async () => {
    const values = [
      2n ** 62n + 1n,
      ['a "quoted" one', 'null', '', 'back\\slash', '日本'],
      new Date('2026-11-30T12:00:00Z'),
      Uint8Array.of(0, 255, 92, 39),
      { deep: ['x', 1, null] },
    ]
    for (let round = 0; round < 3; round++) {
      const made = await run('INSERT INTO loom.kept VALUES ($1, $2, $3, $4, $5) RETURNING *', values)
      expect(made.rows).toEqual([{ n: values[0], words: values[1], at: values[2], raw: values[3], extra: values[4] }])
      expect(made.numAffectedRows).toBe(1n)
    }
    const nulls = await run('INSERT INTO loom.kept (n, words, at) VALUES ($1, $2, $3) RETURNING *', [null, null, null])
    expect(nulls.rows).toEqual([{ n: null, words: null, at: null, raw: null, extra: null }])
    expect((await run('UPDATE loom.kept SET n = $1 WHERE n IS NOT NULL', [5])).numAffectedRows).toBe(3n)
  })

  test('a statement that fails to parse or to run leaves the session usable, inside a transaction too', async () => {
    await expect(run('SELECT $1 FROM loom.nowhere', [1])).rejects.toMatchObject({ code: '42P01' })
    await expect(run('SELECT $1::int / 0', [1])).rejects.toMatchObject({ code: '22012' })
    await expect(
      scratch.database.transaction(async (tx) => {
        await tx.executeQuery(CompiledQuery.raw('INSERT INTO loom.kept (n) VALUES ($1)', [99]))
        await tx.executeQuery(CompiledQuery.raw('SELECT $1::int / 0', [1]))
      }),
    ).rejects.toMatchObject({ code: '22012' })
    expect((await run('SELECT n FROM loom.kept WHERE n = $1', [99])).rows).toEqual([])
  })

  test('a table that changes its columns is read anew', async () => {
    await run('SELECT * FROM loom.kept WHERE n = $1', [5])
    await sql.raw('ALTER TABLE loom.kept ADD COLUMN later text').execute(scratch.database.reader)
    await run('SELECT * FROM loom.kept WHERE n = $1', [5]).catch(() => {})
    expect((await run('SELECT * FROM loom.kept WHERE n = $1', [5])).rows[0]).toHaveProperty('later', null)
  })

  test('no more than 256 statements stay prepared', async () => {
    for (let at = 0; at < 300; at++) await run(`SELECT $1::int + ${at}`, [1])
    const { rows } = await run('SELECT count(*) AS n FROM pg_prepared_statements WHERE $1', [true])
    expect(rows[0]?.['n']).toBe(256n)
  })
})
