import { constant, get, I32, instantiate, load, moduleOf, set, SIMD, V128, type WasmMemory } from './wasm-code.ts'

/**
 * The scan of sign bits in WebAssembly, sixteen bytes an instruction: three times as fast as the same in JavaScript. The codes
 * lie in its memory and only the near rows come out of it: to copy 4.8 MB in and 100,000 distances out took twice as long as the scan.
 */

/** Codes that the scan reads where they lie. */
export interface SimdCodes {
  /** The codes, end to end. Replaced when they grow: read it anew after. */
  readonly codes: Uint32Array
  /** Makes room for so many words of codes. What is there stays. */
  grow(words: number): void
  /** Shows each row in `from` ≤ row < `to` within a distance of a code, and its distance. */
  near(query: Uint32Array, from: number, to: number, reach: number, visit: (row: number, distance: number) => void): void
}

/** Rows at a time: what is found of them, at most all, has its place in the memory. */
const ROWS = 4096
const FOUND_AT = 1024
/** Behind the place of what is found, and of one more that is written before it is dropped. */
const CODES_AT = FOUND_AT + 8 * ROWS + 1024
const PAGE = 65_536
/** A byte counts to 255: eight for each vector of sixteen bytes. */
const MOST_VECTORS = 31

const plus = (local: number, step: number): number[] => [...get(local), ...constant(step), 0x6a, ...set(local)]

/**
 * `run(code, end, row, reach)`: compares the code at 0 with those from `code` to `end`, the first of which is of `row`. Writes
 * row and distance of each within `reach` to FOUND_AT and answers where that ends.
 */
function assemble(vectors: number): Uint8Array {
  const [code, end, row, reach, found, distance, sum, query] = [0, 1, 2, 3, 4, 5, 6, 7]
  const differing = (vector: number): number[] => [
    ...get(code),
    ...load(16 * vector),
    ...get(query + vector),
    SIMD,
    0x51, // v128.xor
    SIMD,
    0x62, // i8x16.popcnt
  ]
  const lane = (number: number): number[] => [...get(sum), SIMD, 0x1b, number] // i32x4.extract_lane
  const each = (write: (vector: number) => number[]): number[] => Array.from({ length: vectors }, (_, at) => write(at)).flat()
  const store = (local: number, offset: number): number[] => [...get(found), ...get(local), 0x36, 2, offset] // i32.store
  const body = [
    [2, 2, I32, 1 + vectors, V128],
    each((vector) => [...constant(0), ...load(16 * vector), ...set(query + vector)]),
    [...constant(FOUND_AT), ...set(found)],
    [0x02, 0x40, 0x03, 0x40], // block, loop
    [...get(code), ...get(end), 0x4f, 0x0d, 1], // i32.ge_u, br_if out of the block
    each((vector) => (vector === 0 ? differing(0) : [...differing(vector), SIMD, 0x6e])), // i8x16.add
    [SIMD, 0x7d, SIMD, 0x7f, ...set(sum)], // bytes to 16 and to 32 bits, added by pairs
    [...lane(0), ...lane(1), 0x6a, ...lane(2), 0x6a, ...lane(3), 0x6a, ...set(distance)],
    // Written always, and kept by moving on where it is near: no branch to guess wrongly.
    [...store(row, 0), ...store(distance, 4)],
    [...get(found), ...get(distance), ...get(reach), 0x4d, ...constant(3), 0x74, 0x6a, ...set(found)], // found += (distance <= reach) << 3
    [...plus(code, 16 * vectors), ...plus(row, 1)],
    [0x0c, 0, 0x0b, 0x0b], // br to the loop; end of loop and block
    [...get(found), 0x0b],
  ].flat()
  return moduleOf([I32, I32, I32, I32], I32, body)
}

/** An empty memory for codes of so many words, or null where codes of this length or this processor have no such scan. */
export function simdCodes(words: number): SimdCodes | null {
  const vectors = words / 4
  if (!Number.isInteger(vectors) || vectors < 1 || vectors > MOST_VECTORS) return null
  const scan = instantiate(`near ${vectors}`, () => assemble(vectors))
  return scan && inMemory(words, scan.memory, scan.run)
}

type Near = (code: number, end: number, row: number, reach: number) => number

function inMemory(words: number, memory: WasmMemory, near: Near): SimdCodes {
  const view = (): Uint32Array => new Uint32Array(memory.buffer, CODES_AT)
  let codes = view()
  return {
    get codes() {
      return codes
    },
    grow(wanted) {
      const pages = Math.ceil((CODES_AT + wanted * 4 - memory.buffer.byteLength) / PAGE)
      if (pages <= 0) return
      memory.grow(pages)
      codes = view()
    },
    near(query, from, to, reach, visit) {
      new Uint32Array(memory.buffer, 0, words).set(query)
      const found = new Uint32Array(memory.buffer, FOUND_AT, 2 * ROWS)
      for (let row = from; row < to; row += ROWS) {
        const last = Math.min(row + ROWS, to)
        const end = near(CODES_AT + row * words * 4, CODES_AT + last * words * 4, row, reach)
        for (let at = 0; at < (end - FOUND_AT) >> 2; at += 2) visit(found[at]!, found[at + 1]!)
      }
    },
  }
}
