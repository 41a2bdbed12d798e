import { dotOf, type Dot } from './dot-simd.ts'

/** Rows of one array. What is reserved and unused is less than one of these, and what is there need not be copied to grow. */
const ROWS = 1024

/** Int8 copies of vectors, one a row. */
export class CopyTable {
  readonly #dim: number
  readonly #dot: Dot
  readonly #parts: Int8Array[] = []
  #bytes = 0

  constructor(dim: number) {
    this.#dim = dim
    this.#dot = dotOf(dim)
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Keeps a vector times `step`, which brings its numbers to ±127. */
  set(row: number, vector: Float32Array, step: number): void {
    const part = this.#parts[Math.floor(row / ROWS)]!
    for (let i = 0, at = (row % ROWS) * this.#dim; i < this.#dim; i++, at++) part[at] = Math.round(vector[i]! * step)
  }

  move(from: number, to: number): void {
    const at = (from % ROWS) * this.#dim
    const copy = this.#parts[Math.floor(from / ROWS)]!.subarray(at, at + this.#dim)
    this.#parts[Math.floor(to / ROWS)]!.set(copy, (to % ROWS) * this.#dim)
  }

  /** Product of a vector and a row's copy. */
  dot(unit: Float32Array, row: number): number {
    return this.#dot(unit, this.#parts[Math.floor(row / ROWS)]!, (row % ROWS) * this.#dim)
  }

  /** Room for so many rows; the copies of those stay. */
  resize(rows: number): void {
    const parts = Math.ceil(rows / ROWS)
    this.#parts.length = Math.min(this.#parts.length, parts)
    for (let at = 0; at < parts; at++) {
      const length = Math.min(rows - at * ROWS, ROWS) * this.#dim
      const old = this.#parts[at]
      if (old?.length === length) continue
      const part = new Int8Array(length)
      if (old) part.set(old.subarray(0, length))
      this.#parts[at] = part
    }
    this.#bytes = rows * this.#dim
  }
}
