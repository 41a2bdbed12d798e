import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hamming, signBits } from '../../../shared/domain/search/bits.ts'
import { CodeTable } from '../../../shared/engine/index/code-table.ts'
import { simdCodes } from '../../../shared/engine/index/hamming-simd.ts'
import { randomNumbers, vectorNear } from './rows.ts'

test.each([4, 12, 24, 32, 124])('codes of %i words are as far from each other as one bit after another says', (words) => {
  // Not a whole number of the batches that are scanned at a time.
  const rows = 9_500
  const random = randomNumbers(words)
  const wide = simdCodes(words)!
  wide.grow(100 * words)
  wide.codes.fill(0xffffffff, 0, words)
  // What is there stays when more room is made.
  wide.grow(rows * words)
  for (let at = 2 * words; at < rows * words; at++) wide.codes[at] = random() * 2 ** 32
  const code = (row: number): Uint32Array => wide.codes.slice(row * words, (row + 1) * words)
  for (const query of [code(0), code(1), code(5)])
    for (const [from, to, reach] of [
      [0, rows, 32 * words],
      [0, rows, 15 * words],
      [3, 4_100, 16 * words],
      [7, 7, 32 * words],
    ] as const) {
      const found: [number, number][] = []
      wide.near(query, from, to, reach, (row, distance) => found.push([row, distance]))
      const expected = Array.from({ length: to - from }, (_, at) => [from + at, hamming(query, code(from + at))] as const)
      expect(found).toEqual(expected.filter(([, distance]) => distance <= reach))
    }
})

test.each([0, 3, 13, 128])('codes of %i words are left to the other scan', (words) => {
  expect(simdCodes(words)).toBe(null)
})

test.each([128, 40])('the nearest codes of %i signs are those of a sort, through growth, moves and shrinking', (dim) => {
  const random = randomNumbers(dim)
  const centres = Array.from({ length: 9 }, () => vectorNear(null, 1, dim, random))
  const vectors = Array.from({ length: 6_000 }, (_, at) => vectorNear(centres[at % 9]!, 0.7, dim, random))
  const table = new CodeTable(dim)
  const model: Uint32Array[] = []
  const put = (row: number, vector: Float32Array): void => {
    table.set(row, vector)
    model[row] = signBits(vector)
  }
  /** Everything no further than the last of the `looked` nearest, by row. */
  const expected = (code: Uint32Array, count: number, looked: number): number[] => {
    const distances = model.slice(0, count).map((other) => hamming(code, other))
    const reach = [...distances].sort((a, b) => a - b)[Math.min(looked, count) - 1] ?? 0
    return distances.flatMap((distance, row) => (distance <= reach ? [row] : []))
  }
  const sizes = fc.array(fc.constantFrom(10, 900, 4_095, 4_096, 5_000, 6_000), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(sizes, fc.nat(5_999), fc.constantFrom(1, 20, 300, 5_000), (series, asked, looked) => {
      let count = 0
      for (const size of series) {
        const kept = Math.min(count, size)
        table.resize(size, kept)
        for (let row = kept; row < size; row++) put(row, vectors[row]!)
        table.move(size - 1, 0)
        model[0] = model[size - 1]!
        count = size
      }
      const code = signBits(vectors[asked]!)
      const { rows, all } = table.nearest(code, count, looked)
      if (all) expect(rows).toEqual(Array.from({ length: count }, (_, row) => row))
      else expect(rows).toEqual(expected(code, count, looked))
    }),
    { numRuns: 25 },
  )
})
