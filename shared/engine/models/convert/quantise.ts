import { type Matrix, matrixSize } from './matrix.ts'

/** Whole numbers of 8 bits and one scale per row: value = quantised * scale. */
export interface QuantisedRows {
  readonly shape: readonly [number, number]
  readonly values: Int8Array
  readonly scales: Float32Array
}

/** Unsigned bytes around 128 in blocks of a row, each block with a scale: value = (byte - 128) * scale. */
export interface QuantisedBlocks {
  readonly shape: readonly [number, number]
  /** Blocks in a row. */
  readonly blocks: number
  readonly values: Uint8Array
  readonly scales: Float32Array
}

const LARGEST = 127
const MIDDLE = 128
/** Scale of a row of zeros, which any scale keeps. */
const NO_SCALE = 1e-8

/** Symmetric int8 with one scale per row. */
export function quantiseRows(matrix: Matrix): QuantisedRows {
  const [rows, columns] = matrixSize(matrix)
  const scales = new Float32Array(rows)
  const values = new Int8Array(rows * columns)
  for (let row = 0; row < rows; row++) {
    const start = row * columns
    const scale = scaleOf(matrix.data.subarray(start, start + columns))
    scales[row] = scale
    for (let i = start; i < start + columns; i++) values[i] = Math.round(matrix.data[i]! / scale)
  }
  return { shape: [rows, columns], values, scales }
}

/** 8 bits with one scale for every `block` neighbours of a row, which must divide its length. */
export function quantiseBlocks(matrix: Matrix, block: number): QuantisedBlocks {
  const [rows, columns] = matrixSize(matrix)
  const blocks = columns / block
  if (!Number.isInteger(blocks)) throw new Error(`Rows of ${columns} cannot be cut into blocks of ${block}.`)
  const { values, scales } = quantiseRows({ shape: [rows * blocks, block], data: matrix.data })
  return { shape: [rows, columns], blocks, values: Uint8Array.from(values, (value) => value + MIDDLE), scales }
}

function scaleOf(values: Float32Array): number {
  let largest = 0
  for (const value of values) largest = Math.max(largest, Math.abs(value))
  return largest / LARGEST || NO_SCALE
}
