import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dotOf } from '../../../shared/engine/index/dot-simd.ts'
import { randomNumbers, vectorNear } from './rows.ts'

test.each([8, 16, 40, 41, 384, 768, 8_192, 8_200])('the product of %i dimensions is the sum of products', (dim) => {
  const random = randomNumbers(dim)
  const units = Array.from({ length: 3 }, () => vectorNear(null, 1 / Math.sqrt(dim), dim, random))
  const copies = Int8Array.from({ length: 20 * dim }, () => random() * 255 - 127.5)
  copies.fill(-127, 0, dim)
  copies.fill(127, dim, 2 * dim)
  const dot = dotOf(dim)
  fc.assert(
    // The vectors take turns: each is compared anew, whichever was before.
    fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(19)), { minLength: 1 }), (series) => {
      for (const [which, row] of series) {
        const exact = units[which]!.reduce((sum, value, at) => sum + value * copies[row * dim + at]!, 0)
        expect(Math.abs(dot(units[which]!, copies, row * dim) - exact)).toBeLessThan(0.002)
      }
    }),
    { numRuns: 20 },
  )
})
