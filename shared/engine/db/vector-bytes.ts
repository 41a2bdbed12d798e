/** pgvector's binary forms, so that a vector crosses to the database and back without becoming text. */

const HALF_FLOATS = new Float32Array(65_536)
let halvesKnown = false

function halfToFloat(bits: number): number {
  if (!halvesKnown) {
    for (let half = 0; half < HALF_FLOATS.length; half++) HALF_FLOATS[half] = decodeHalf(half)
    halvesKnown = true
  }
  return HALF_FLOATS[bits] ?? 0
}

function decodeHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024)
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024)
}

const single = new Float32Array(1)
const singleBits = new Uint32Array(single.buffer)

/** The half float nearest to a number; ties go to the even one. */
function floatToHalf(value: number): number {
  single[0] = value
  const bits = singleBits[0] ?? 0
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 112
  const fraction = bits & 0x7fffff
  if (exponent >= 31) return sign | 0x7c00 | (exponent === 143 && fraction !== 0 ? 0x200 : 0)
  // Below the smallest exponent the leading 1 is written out and the rest shifted.
  const shift = exponent > 0 ? 13 : 14 - exponent
  if (shift > 24) return sign
  const whole = exponent > 0 ? (exponent << 23) | fraction : fraction | 0x800000
  const half = whole >>> shift
  const rest = whole & ((1 << shift) - 1)
  const middle = 1 << (shift - 1)
  // Rounding up may carry into the exponent, which is the next number indeed.
  return sign | (half + (rest > middle || (rest === middle && (half & 1) === 1) ? 1 : 0))
}

/** A halfvec: two 16-bit headers (length, unused), then half floats, all big-endian. */
export function encodeHalfvec(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(4 + vector.length * 2)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, vector.length)
  for (let at = 0; at < vector.length; at++) view.setUint16(4 + at * 2, floatToHalf(vector[at]!))
  return bytes
}

export function decodeHalfvec(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const vector = new Float32Array(view.getUint16(0))
  for (let at = 0; at < vector.length; at++) vector[at] = halfToFloat(view.getUint16(4 + at * 2))
  return vector
}

/** The sign bits of a vector as `bit varying`: the number of bits, then the bits, first one highest. */
export function encodeSignBits(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(4 + Math.ceil(vector.length / 8))
  new DataView(bytes.buffer).setInt32(0, vector.length)
  for (let at = 0; at < vector.length; at++) if (vector[at]! > 0) bytes[4 + (at >> 3)]! |= 0x80 >> (at & 7)
  return bytes
}
