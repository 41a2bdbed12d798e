import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { scratchDatabase } from '../helpers/postgres.ts'
import { needs, postgres } from '../helpers/requirements.ts'

describe('a scratch database', needs(postgres()), () => {
  test('is empty, its own, and has vectors to create', async () => {
    const [one, two] = await Promise.all([scratchDatabase(), scratchDatabase()])
    const client = new pg.Client({ connectionString: one.url })
    await client.connect()
    await client.query('create extension vector; create table t (v halfvec(2))')
    const { rows } = await client.query<{ distance: number }>(`select '[1,0]'::halfvec(2) <-> '[0,0]' as distance`)
    expect(rows[0]?.distance).toBe(1)
    await client.end()
    await one.drop()
    await two.drop()
    expect(one.url).not.toBe(two.url)
  })
})
