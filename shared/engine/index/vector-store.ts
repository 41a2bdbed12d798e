import { CodeTable, type NearRows } from './code-table.ts'
import { CopyTable } from './copy-table.ts'

/** Grows by a quarter while small, then by 1/64: of what is large little is reserved and unused, and little is copied to grow. */
const grown = (rows: number): number => Math.max(16, Math.ceil(rows * (rows < 4_096 ? 1.25 : 1 + 1 / 64)))

/**
 * Vectors of one axis in dense arrays: sign bits for the scan, int8 with a scale per vector for the re-rank (cosine
 * within .003 at 384 dimensions). A removed vector's place is taken by the last one.
 */
export class VectorStore {
  readonly dim: number
  readonly #codes: CodeTable
  readonly #copies: CopyTable
  #count = 0
  #scales: Float32Array
  #owners: Uint32Array

  constructor(dim: number) {
    this.dim = dim
    this.#codes = new CodeTable(dim)
    this.#copies = new CopyTable(dim)
    this.#scales = new Float32Array(0)
    this.#owners = new Uint32Array(0)
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#codes.bytes + this.#copies.bytes + this.#scales.byteLength + this.#owners.byteLength
  }

  /** The document each row belongs to. */
  get owners(): Uint32Array {
    return this.#owners
  }

  /** Adds the direction of a vector; returns its row, or -1 for a zero or broken vector. */
  add(owner: number, vector: Float32Array): number {
    let square = 0
    let largest = 0
    for (const value of vector) {
      square += value * value
      largest = Math.max(largest, Math.abs(value))
    }
    if (!(square > 0) || !Number.isFinite(square)) return -1
    if (this.#count === this.#owners.length) this.#resize(grown(this.#count))
    const row = this.#count++
    this.#copies.set(row, vector, 127 / largest)
    this.#scales[row] = largest / (127 * Math.sqrt(square))
    this.#owners[row] = owner
    this.#codes.set(row, vector)
    return row
  }

  /** Takes a row out. Returns the document whose vector now has that row, or -1 when none moved. */
  remove(row: number): number {
    const last = --this.#count
    let moved = -1
    if (row !== last) {
      this.#codes.move(last, row)
      this.#copies.move(last, row)
      this.#scales[row] = this.#scales[last]!
      moved = this.#owners[last]!
      this.#owners[row] = moved
    }
    if (this.#owners.length > 64 && last < this.#owners.length / 4) this.#resize(Math.ceil(this.#owners.length / 2))
    return moved
  }

  /** Gives a row to another document number. */
  reown(row: number, owner: number): void {
    this.#owners[row] = owner
  }

  /** Rows whose signs are nearest to a code: at least `looked`, where there are as many. */
  nearest(code: Uint32Array, looked: number): NearRows {
    return this.#codes.nearest(code, this.#count, looked)
  }

  /** Cosine of a unit vector and a row. */
  cosine(unit: Float32Array, row: number): number {
    return this.#copies.dot(unit, row) * this.#scales[row]!
  }

  #resize(rows: number): void {
    this.#codes.resize(rows, this.#count)
    this.#copies.resize(rows)
    const scales = new Float32Array(rows)
    scales.set(this.#scales.subarray(0, this.#count))
    this.#scales = scales
    const owners = new Uint32Array(rows)
    owners.set(this.#owners.subarray(0, this.#count))
    this.#owners = owners
  }
}

/** The vector at length 1, or null when it has no direction. */
export function unitOf(vector: Float32Array): Float32Array | null {
  let square = 0
  for (const value of vector) square += value * value
  if (!(square > 0) || !Number.isFinite(square)) return null
  const norm = 1 / Math.sqrt(square)
  return vector.map((value) => value * norm)
}
