import { readFile } from 'node:fs/promises'
import type { Matrix } from './matrix.ts'

/** The tensors of a safetensors file, read one at a time. */
export interface Weights {
  readonly names: readonly string[]
  /** Decodes one tensor. Throws an Error naming it when it is missing or of another type than F16 or F32. */
  read(name: string): Matrix
}

interface HeaderEntry {
  readonly dtype: string
  readonly shape: number[]
  readonly data_offsets: [number, number]
}

const LENGTH_BYTES = 8

/** Opens a safetensors file. Throws an Error when its header does not describe what the file holds. */
export async function readSafetensors(path: string): Promise<Weights> {
  const file = await readFile(path)
  const header = parseHeader(file, path)
  const start = LENGTH_BYTES + Number(file.readBigUInt64LE(0))
  const halves = halfFloatTable()
  return {
    names: Object.keys(header),
    read(name) {
      const entry = header[name]
      if (entry === undefined) throw new Error(`${path} holds no tensor "${name}".`)
      const count = entry.shape.reduce((product, size) => product * size, 1)
      const bytes = file.subarray(start + entry.data_offsets[0], start + entry.data_offsets[1])
      const width = entry.dtype === 'F16' ? 2 : 4
      if (bytes.byteLength !== count * width) throw new Error(`Tensor "${name}" of ${path} is cut short.`)
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const data = new Float32Array(count)
      if (entry.dtype === 'F16') {
        for (let i = 0; i < count; i++) data[i] = halves[view.getUint16(2 * i, true)]!
      } else if (entry.dtype === 'F32') {
        for (let i = 0; i < count; i++) data[i] = view.getFloat32(4 * i, true)
      } else {
        throw new Error(`Tensor "${name}" of ${path} is ${entry.dtype}; F16 and F32 can be read.`)
      }
      return { shape: entry.shape, data }
    },
  }
}

function parseHeader(file: Buffer, path: string): Record<string, HeaderEntry> {
  const length = file.byteLength < LENGTH_BYTES ? Number.NaN : Number(file.readBigUInt64LE(0))
  if (!(length <= file.byteLength - LENGTH_BYTES)) throw new Error(`${path} is not a whole safetensors file.`)
  const { __metadata__: _, ...entries } = JSON.parse(file.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + length))
  return entries
}

/** All 65,536 half floats decoded once: a look-up is several times faster than decoding each of 22 million weights. */
function halfFloatTable(): Float32Array {
  const table = new Float32Array(65536)
  for (let bits = 0; bits < table.length; bits++) table[bits] = decodeHalf(bits)
  return table
}

function decodeHalf(bits: number): number {
  const sign = bits >> 15 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const mantissa = bits & 1023
  if (exponent === 0) return sign * mantissa * 2 ** -24
  if (exponent === 31) return mantissa ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15)
}
