import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { decodeHalfvec, encodeHalfvec, encodeSignBits } from '../../../shared/engine/db/vector-bytes.ts'
import { scratchPglite } from './scratch.ts'

const roundTrip = (values: readonly number[]): number[] => [...decodeHalfvec(encodeHalfvec(Float32Array.from(values)))]

test('a half float is the nearest one, ties to even, and infinity past the largest', () => {
  expect(roundTrip([0, -0, 1, -2, 65_504, 65_520, -1e9, 2 ** -24, 2 ** -25, 2 ** -14, 1 + 2 ** -11, 1 + 3 * 2 ** -11])).toEqual([
    0,
    -0,
    1,
    -2,
    65_504,
    Infinity,
    -Infinity,
    2 ** -24,
    0,
    2 ** -14,
    1,
    1 + 2 ** -9,
  ])
})

test('encoding a number that a half float holds changes nothing, and no neighbour is nearer', () => {
  fc.assert(
    fc.property(fc.float({ min: -1, max: 1, noNaN: true }), (value) => {
      const [half = 0] = roundTrip([value])
      expect(roundTrip([half])).toEqual([half])
      expect(Math.abs(half - value)).toBeLessThanOrEqual(Math.max(Math.abs(value) * 2 ** -11, 2 ** -25))
    }),
  )
})

test('the database reads both binary forms as its own text forms', async () => {
  const { database, drop } = await scratchPglite()
  const vector = Float32Array.from({ length: 13 }, (_, at) => Math.sin(at * 7) / 3)
  const answer = await sql<{
    vec: string
    code: string
    bytes: Uint8Array
  }>`SELECT h.v::text AS vec, ${encodeSignBits(vector)}::bit varying::text AS code, halfvec_send(h.v) AS bytes
    FROM (SELECT ${encodeHalfvec(vector)}::halfvec AS v) AS h`.execute(database.reader)
  await drop()
  const row = answer.rows[0]
  expect(row?.code).toBe([...vector].map((part) => (part > 0 ? '1' : '0')).join(''))
  expect(row?.bytes).toEqual(encodeHalfvec(vector))
  const read = JSON.parse(row?.vec ?? '[]') as number[]
  expect(read).toHaveLength(13)
  for (const [at, part] of read.entries()) expect(part).toBeCloseTo(vector[at] ?? 0, 3)
})
