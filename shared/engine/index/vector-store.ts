import { hammingScan, signBits, wordsFor } from '../../domain/search/bits.ts'
import { simdScan } from './hamming-simd.ts'

/** Grows by a quarter: what is reserved and unused stays small against what is used. */
const GROWTH = 1.25

/**
 * Vectors of one axis in dense arrays: sign bits for the scan, int8 with a scale per vector for the re-rank (cosine
 * within .003 at 384 dimensions). A removed vector's place is taken by the last one.
 */
export class VectorStore {
  readonly dim: number
  readonly #words: number
  #count = 0
  #codes: Uint32Array
  #bytes: Int8Array
  #scales: Float32Array
  #owners: Uint32Array

  constructor(dim: number) {
    this.dim = dim
    this.#words = wordsFor(dim)
    this.#codes = new Uint32Array(0)
    this.#bytes = new Int8Array(0)
    this.#scales = new Float32Array(0)
    this.#owners = new Uint32Array(0)
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#codes.byteLength + this.#bytes.byteLength + this.#scales.byteLength + this.#owners.byteLength
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
    if (this.#count === this.#owners.length) this.#resize(Math.max(16, Math.ceil(this.#count * GROWTH)))
    const row = this.#count++
    const at = row * this.dim
    const step = 127 / largest
    for (let i = 0; i < this.dim; i++) this.#bytes[at + i] = Math.round(vector[i]! * step)
    this.#scales[row] = largest / (127 * Math.sqrt(square))
    this.#owners[row] = owner
    signBits(vector, this.#codes, row * this.#words)
    return row
  }

  /** Takes a row out. Returns the document whose vector now has that row, or -1 when none moved. */
  remove(row: number): number {
    const last = --this.#count
    let moved = -1
    if (row !== last) {
      this.#codes.copyWithin(row * this.#words, last * this.#words, (last + 1) * this.#words)
      this.#bytes.copyWithin(row * this.dim, last * this.dim, (last + 1) * this.dim)
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

  /** Hamming distance of a code to each row. */
  distances(code: Uint32Array, out: Uint16Array): void {
    if (!simdScan(code, this.#codes, this.#count, out)) hammingScan(code, this.#codes, this.#count, out)
  }

  /** Cosine of a unit vector and a row. */
  cosine(unit: Float32Array, row: number): number {
    const bytes = this.#bytes
    const dim = this.dim
    let sum = 0
    for (let i = 0, at = row * dim; i < dim; i++, at++) sum += unit[i]! * bytes[at]!
    return sum * this.#scales[row]!
  }

  #resize(rows: number): void {
    const codes = new Uint32Array(rows * this.#words)
    codes.set(this.#codes.subarray(0, this.#count * this.#words))
    this.#codes = codes
    const bytes = new Int8Array(rows * this.dim)
    bytes.set(this.#bytes.subarray(0, this.#count * this.dim))
    this.#bytes = bytes
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
