import { F32, get, instantiate, leb, load, moduleOf, set, SIMD, V128 } from './wasm-code.ts'

/**
 * The product of a vector and an int8 copy of another, eight numbers at a time: 1,000 candidates of a search at 384 dimensions
 * were a third of its time in JavaScript.
 */

/** Four sums at a time: one would wait for itself at each addition. */
const SUMS = 4
/** The vector is at 0 and the copy behind it, in one page. */
const MOST_DIMENSIONS = 8_192

function assemble(dim: number): Uint8Array {
  const bytes = SUMS
  const copyAt = 4 * dim
  const zero = [0x41, 0]
  const half = (sum: number, extend: number, offset: number): number[] =>
    [
      [...get(sum), ...get(bytes)],
      [SIMD, extend, 1], // i32x4.extend_low or _high of i16x8
      [SIMD, 0xfa, 1], // f32x4.convert_i32x4_s
      [...zero, ...load(offset)],
      [SIMD, 0xe6, 1], // f32x4.mul
      [SIMD, 0xe4, 1], // f32x4.add
      set(sum),
    ].flat()
  const steps = Array.from({ length: dim / 8 }, (_, step) =>
    [
      zero,
      [SIMD, 0x01, 3, ...leb(copyAt + 8 * step)], // v128.load8x8_s
      set(bytes),
      half((2 * step) % SUMS, 0xa7, 32 * step),
      half((2 * step + 1) % SUMS, 0xa8, 32 * step + 16),
    ].flat(),
  )
  const add = [SIMD, 0xe4, 1]
  const lane = (number: number): number[] => [...get(bytes), SIMD, 0x1f, number] // f32x4.extract_lane
  const body = [
    [1, SUMS + 1, V128],
    ...steps,
    [...get(0), ...get(1), ...add, ...get(2), ...get(3), ...add, ...add, ...set(bytes)],
    [...lane(0), ...lane(1), 0x92, ...lane(2), 0x92, ...lane(3), 0x92, 0x0b], // f32.add
  ].flat()
  return moduleOf([], F32, body)
}

export type Dot = (unit: Float32Array, copies: Int8Array, at: number) => number

const plainDot: Dot = (unit, copies, at) => {
  let sum = 0
  for (let i = 0; i < unit.length; i++) sum += unit[i]! * copies[at + i]!
  return sum
}

const dots = new Map<number, Dot>()

/** The product for vectors of a length, in whatever way the processor has. A vector it was given must not be changed. */
export function dotOf(dim: number): Dot {
  const known = dots.get(dim)
  if (known !== undefined) return known
  const wide = dim > 0 && dim % 8 === 0 && dim <= MOST_DIMENSIONS ? instantiate(`dot ${dim}`, () => assemble(dim)) : null
  const dot = wide === null ? plainDot : inMemory(dim, new Uint8Array(wide.memory.buffer), wide.run)
  dots.set(dim, dot)
  return dot
}

function inMemory(dim: number, memory: Uint8Array<ArrayBuffer>, run: () => number): Dot {
  const vector = new Float32Array(memory.buffer, 0, dim)
  const copy = new Int8Array(memory.buffer, 4 * dim, dim)
  let held: Float32Array | null = null
  return (unit, copies, at) => {
    // One vector is compared to many.
    if (unit !== held) {
      vector.set(unit)
      held = unit
    }
    copy.set(copies.subarray(at, at + dim))
    return run()
  }
}
