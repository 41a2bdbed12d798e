import { hammingScan, signBits, wordsFor } from '../../domain/search/bits.ts'
import { simdCodes, type SimdCodes } from './hamming-simd.ts'

/** From so many rows on the codes lie in a memory of their own, which the processor's wide instructions scan: 64 KiB is its least. */
const LARGE = 4_096
/** One row in 32 is asked first how far the near ones are; the rows asked lie in runs. */
const RUN = 64
const RUN_EVERY = 32 * RUN

/** Rows near a code, by row. */
export interface NearRows {
  readonly rows: number[]
  /** Whether there are none further out. */
  readonly all: boolean
}

/** Sign bits of vectors, one code a row. */
export class CodeTable {
  readonly #dim: number
  readonly #words: number
  #plain = new Uint32Array(0)
  #wide: SimdCodes | null = null

  constructor(dim: number) {
    this.#dim = dim
    this.#words = wordsFor(dim)
  }

  get bytes(): number {
    return this.#codes.byteLength
  }

  get #codes(): Uint32Array {
    return this.#wide?.codes ?? this.#plain
  }

  set(row: number, vector: Float32Array): void {
    signBits(vector, this.#codes, row * this.#words)
  }

  move(from: number, to: number): void {
    this.#codes.copyWithin(to * this.#words, from * this.#words, (from + 1) * this.#words)
  }

  /** Room for so many rows; the first `count` stay. */
  resize(rows: number, count: number): void {
    const words = rows * this.#words
    if (this.#wide !== null && words >= this.#wide.codes.length) return this.#wide.grow(words)
    const kept = this.#codes.subarray(0, count * this.#words)
    // A memory never shrinks: what needs less gets another.
    this.#wide = rows >= LARGE ? simdCodes(this.#words) : null
    this.#wide?.grow(words)
    this.#plain = new Uint32Array(this.#wide === null ? words : 0)
    this.#codes.set(kept)
  }

  /**
   * Of the first `count` rows those no further from a code than the nearest `looked`, at least: as far out as it takes
   * to hold that many, and all that are as near as the last of them.
   */
  nearest(code: Uint32Array, count: number, looked: number): NearRows {
    const sample = this.#sample(code, count)
    for (let wanted = looked * 2; ; wanted *= 4) {
      const reach = count < LARGE ? this.#dim : reachOf(sample.histogram, (wanted * sample.count) / count)
      const rows: number[] = []
      const distances: number[] = []
      const histogram = new Uint32Array(this.#dim + 1)
      this.#near(code, 0, count, reach, (row, distance) => {
        rows.push(row)
        distances.push(distance)
        histogram[distance]! += 1
      })
      if (rows.length < looked && reach < this.#dim) continue
      const exact = reachOf(histogram, looked)
      return { rows: rows.filter((_, at) => distances[at]! <= exact), all: exact >= this.#dim }
    }
  }

  /** Distances of some rows, that tell about how far out one must look. */
  #sample(code: Uint32Array, count: number): { histogram: Uint32Array; count: number } {
    const histogram = new Uint32Array(this.#dim + 1)
    let asked = 0
    if (count >= LARGE)
      for (let from = 0; from < count; from += RUN_EVERY) {
        const to = Math.min(from + RUN, count)
        this.#near(code, from, to, this.#dim, (_, distance) => void (histogram[distance]! += 1))
        asked += to - from
      }
    return { histogram, count: asked }
  }

  #near(code: Uint32Array, from: number, to: number, reach: number, visit: (row: number, distance: number) => void): void {
    if (this.#wide !== null) return this.#wide.near(code, from, to, reach, visit)
    const distances = new Uint16Array(to - from)
    hammingScan(code, this.#plain.subarray(from * this.#words), to - from, distances)
    for (let at = 0; at < distances.length; at++) if (distances[at]! <= reach) visit(from + at, distances[at]!)
  }
}

/** The least distance within which a histogram holds so many; its end where it holds fewer. */
function reachOf(histogram: Uint32Array, wanted: number): number {
  let reach = 0
  for (let sum = histogram[0]!; sum < wanted && reach < histogram.length - 1;) sum += histogram[++reach]!
  return reach
}
