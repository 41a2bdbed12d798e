import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Queryable } from '../../../shared/engine/db/database.ts'
import { scratchPglite, type ScratchPglite } from './scratch.ts'

describe('one connection, lent to one holder at a time', () => {
  let scratch: ScratchPglite
  beforeAll(async () => {
    scratch = await scratchPglite()
    await sql.raw('CREATE TABLE loom.probe (n int8 PRIMARY KEY)').execute(scratch.database.reader)
  })
  beforeEach(() => sql.raw('DELETE FROM loom.probe').execute(scratch.database.reader))
  afterAll(() => scratch.drop())

  const insert = (db: Queryable, n: number) => sql`INSERT INTO loom.probe VALUES (${n})`.execute(db)
  const count = async (db: Queryable): Promise<bigint> =>
    (await sql<{ n: bigint }>`SELECT count(*) AS n FROM loom.probe`.execute(db)).rows[0]?.n ?? -1n

  test('a read beside an open transaction waits for its end, and never sees a row that is rolled back', async () => {
    const { database } = scratch
    const order: string[] = []
    let read: Promise<bigint> = Promise.resolve(-1n)
    const writing = database.transaction(async (tx) => {
      await insert(tx, 1)
      read = count(database.reader).finally(() => order.push('read'))
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(await count(tx)).toBe(1n)
      order.push('rollback')
      throw new Error('thought better of it')
    })
    await expect(writing).rejects.toThrow('thought better of it')
    expect(await read).toBe(0n)
    expect(order).toEqual(['rollback', 'read'])
  })

  test('it sees the row once that is committed', async () => {
    let read: Promise<bigint> = Promise.resolve(-1n)
    await scratch.database.transaction(async (tx) => {
      read = count(scratch.database.reader)
      await insert(tx, 1)
    })
    expect(await read).toBe(1n)
  })

  test('200 reads and writes at once all end, each whole', async () => {
    const { database } = scratch
    const seen = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        if (n % 2 === 0) return count(database.reader)
        return database.transaction(async (tx) => {
          await insert(tx, n)
          await insert(tx, -n)
          return count(tx)
        })
      }),
    )
    expect(await count(database.reader)).toBe(200n)
    // Two rows a transaction: a reader between them would have counted an odd number.
    expect(seen.filter((rows) => rows % 2n === 1n)).toEqual([])
  })

  test('a statement that fails leaves nothing of its transaction, and the connection to the next', async () => {
    const { database } = scratch
    await insert(database.reader, 7)
    const twice = database.transaction(async (tx) => {
      await insert(tx, 1)
      await insert(tx, 7)
    })
    await expect(twice).rejects.toThrow(/duplicate key/)
    expect(await count(database.reader)).toBe(1n)
    await database.transaction((tx) => insert(tx, 8))
    expect(await count(database.reader)).toBe(2n)
  })
})
