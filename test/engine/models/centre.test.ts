import { expect, test } from 'vitest'
import { centreOf, fromCentre } from '../../../shared/engine/models/centre.ts'
import { COMMON_TEXTS } from '../../../shared/engine/models/common-texts.ts'

const unit = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * b[at]!, 0)

/** A model whose vectors share a direction, as those of many models do: what is of the text itself is a sixth of each. */
async function shifted(text: string): Promise<Float32Array> {
  let state = [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 233_280, 7)
  const own = Float32Array.from({ length: 64 }, () => {
    state = (state * 9301 + 49_297) % 233_280
    return state / 233_280 - 0.5
  })
  return unit(unit(own).map((value) => value + 2.2 / 8))
}

test('texts that have nothing to do with each other are no longer near', async () => {
  const centre = await centreOf(shifted)
  const vectors = await Promise.all(COMMON_TEXTS.map(shifted))
  const pairs = vectors.slice(1).map((vector, at) => [vectors[at]!, vector] as const)
  const before = pairs.map(([a, b]) => cosine(a, b))
  const after = pairs.map(([a, b]) => cosine(unit(fromCentre(a, centre)), unit(fromCentre(b, centre))))
  expect(Math.min(...before)).toBeGreaterThan(0.7)
  expect(Math.max(...after)).toBeLessThan(0.7)
  expect(after.reduce((sum, value) => sum + value, 0) / after.length).toBeLessThan(0.3)
})

test('what says the same stays the same', async () => {
  const centre = await centreOf(shifted)
  const [a, b] = [await shifted('The office opens at eight.'), await shifted('The office opens at eight.')]
  expect(cosine(unit(fromCentre(a, centre)), unit(fromCentre(b, centre)))).toBeCloseTo(1, 5)
})

test('no text that the centre is taken from is there twice', () => {
  expect(new Set(COMMON_TEXTS).size).toBe(COMMON_TEXTS.length)
})
