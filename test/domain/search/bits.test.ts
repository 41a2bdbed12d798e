import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hamming, hammingScan, popcount, signBits, wordsFor } from '../../../shared/domain/search/bits.ts'

const naiveCount = (word: number): number => (word >>> 0).toString(2).replaceAll('0', '').length
const word = fc.integer({ min: -0x80000000, max: 0xffffffff })

test('popcount equals counting digits', () => {
  fc.assert(
    fc.property(word, (value) => {
      expect(popcount(value)).toBe(naiveCount(value))
    }),
  )
})

test('sign bits say where a vector is positive, for any length', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true }), { minLength: 1, maxLength: 100 }), (values) => {
      const code = signBits(Float32Array.from(values))
      expect(code).toHaveLength(wordsFor(values.length))
      values.forEach((value, i) => expect(((code[i >> 5] ?? 0) >>> (i & 31)) & 1).toBe(value > 0 ? 1 : 0))
    }),
  )
})

test('the scan equals the distance to each code, for 384 dimensions and others', () => {
  const lengths = fc.constantFrom(1, 3, 8, 12, 24)
  const codes = lengths.chain((words) =>
    fc.tuple(
      fc.array(word, { minLength: words, maxLength: words }),
      fc.array(fc.array(word, { minLength: words, maxLength: words }), { maxLength: 8 }),
    ),
  )
  fc.assert(
    fc.property(codes, ([query, rows]) => {
      const code = Uint32Array.from(query)
      const out = new Uint16Array(rows.length)
      hammingScan(code, Uint32Array.from(rows.flat()), rows.length, out)
      rows.forEach((row, i) => {
        expect(out[i]).toBe(hamming(code, Uint32Array.from(row)))
        expect(out[i]).toBe(row.reduce((sum, value, w) => sum + naiveCount(value ^ (query[w] ?? 0)), 0))
      })
    }),
  )
})

test('opposite codes of 384 dimensions differ in all of them', () => {
  const out = new Uint16Array(1)
  hammingScan(new Uint32Array(12), new Uint32Array(12).fill(0xffffffff), 1, out)
  expect(out[0]).toBe(384)
})
