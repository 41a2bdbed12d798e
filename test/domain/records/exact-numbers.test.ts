import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { exactNumber, nearestAverage } from '../../../shared/domain/records/exact-numbers.ts'

test.each([
  ['7.30', 7.3],
  ['0', 0],
  ['-0.0', 0],
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740993.000', -9007199254740993n],
  ['0.1000000000000000055', '0.1000000000000000055'],
  ['0.0000001', 1e-7],
])('[REC015] %s is told exactly', (text, told) => {
  expect(exactNumber(text)).toEqual(told)
})

it('[REC015] tells every double as itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 6 }), (digits, scale) => {
      const text = (digits / 10 ** scale).toFixed(scale)
      expect(Number(exactNumber(text))).toBe(Number(text))
    }),
  )
})

it('[REC015] an average is the nearest double', () => {
  expect(nearestAverage('1', 3)).toBe(1 / 3)
  expect(nearestAverage('-7.3', 3)).toBe(-2.433333333333333)
  expect(nearestAverage('0', 5)).toBe(0)
  expect(nearestAverage('10', 5)).toBe(2)
  expect(nearestAverage(`0.${'0'.repeat(323)}5`, 1)).toBe(5e-324)
  // Half-way between two doubles but for a digit far behind.
  expect(nearestAverage('9007199254740993', 1)).toBe(9007199254740992)
  expect(nearestAverage(`9007199254740993.${'0'.repeat(60)}1`, 1)).toBe(9007199254740994)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 50 }), fc.integer({ min: 1, max: 1000 }), (sum, count) => {
      expect(nearestAverage(String(sum), count)).toBe(sum / count)
    }),
  )
})
