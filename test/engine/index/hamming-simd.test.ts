import { expect, test } from 'vitest'
import { hammingScan } from '../../../shared/domain/search/bits.ts'
import { simdScan } from '../../../shared/engine/index/hamming-simd.ts'
import { randomNumbers } from './rows.ts'

const codesOf = (words: number, rows: number): Uint32Array => {
  const random = randomNumbers(words)
  return Uint32Array.from({ length: words * rows }, () => random() * 2 ** 32)
}

test.each([4, 12, 24, 32, 124])('codes of %i words are as far from each other as one bit after another says', (words) => {
  // Not a whole number of the batches that are scanned at a time.
  const rows = 2_500
  const codes = codesOf(words, rows)
  codes.fill(0xffffffff, 0, words)
  codes.fill(0, words, 2 * words)
  for (const query of [codes.slice(0, words), codes.slice(5 * words, 6 * words)]) {
    const [fast, plain] = [new Uint16Array(rows + 1).fill(7), new Uint16Array(rows + 1).fill(7)]
    expect(simdScan(query, codes, rows, fast)).toBe(true)
    hammingScan(query, codes, rows, plain)
    expect(fast).toEqual(plain)
  }
})

test.each([0, 3, 13, 128])('codes of %i words are left to the other scan', (words) => {
  const out = new Uint16Array(4).fill(7)
  expect(simdScan(new Uint32Array(words), codesOf(words, 4), 4, out)).toBe(false)
  expect([...out]).toEqual([7, 7, 7, 7])
})
