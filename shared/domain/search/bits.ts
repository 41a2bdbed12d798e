/** Number of 32-bit words that hold the signs of a vector of this length. */
export function wordsFor(dim: number): number {
  return (dim + 31) >>> 5
}

/** Set bits of a 32-bit word. */
export function popcount(word: number): number {
  let x = word
  x -= (x >>> 1) & 0x55555555
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
  return (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
}

/** Signs of a vector, one bit a dimension: set where the value is above zero. Written to `out` at `offset`. */
export function signBits(vector: ArrayLike<number>, out?: Uint32Array, offset = 0): Uint32Array {
  const words = wordsFor(vector.length)
  const code = out ?? new Uint32Array(words)
  for (let w = 0; w < words; w++) {
    let bits = 0
    const from = w << 5
    const to = Math.min(from + 32, vector.length)
    for (let i = from; i < to; i++) if ((vector[i] ?? 0) > 0) bits |= 1 << (i & 31)
    code[offset + w] = bits
  }
  return code
}

/** Number of positions in which two codes differ. */
export function hamming(a: Uint32Array, b: Uint32Array): number {
  let distance = 0
  for (let w = 0; w < a.length; w++) distance += popcount((a[w] ?? 0) ^ (b[w] ?? 0))
  return distance
}

/**
 * Distance of one code to each of `count` codes laid end to end, written to `out`. Four words are counted with one
 * multiplication: nibble counts of three words, then bytes, stay below their overflow (12 and 96).
 */
export function hammingScan(query: Uint32Array, codes: Uint32Array, count: number, out: Uint16Array): void {
  if (query.length === 12) scanTwelve(query, codes, count, out)
  else scanAny(query, codes, count, out)
}

function scanAny(query: Uint32Array, codes: Uint32Array, count: number, out: Uint16Array): void {
  const words = query.length
  for (let row = 0, at = 0; row < count; row++) {
    let distance = 0
    for (let w = 0; w < words; w++, at++) {
      let x = codes[at]! ^ query[w]!
      x -= (x >>> 1) & 0x55555555
      x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
      distance += (((x + (x >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24
    }
    out[row] = distance
  }
}

function nibbles(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
}

/** Bytes counted over three words, by a carry-save adder: ones count once, carries twice. */
function triple(a: number, b: number, c: number): number {
  const half = a ^ b
  const ones = nibbles(half ^ c)
  const twos = nibbles((a & b) | (half & c))
  const sum = ones + (twos << 1)
  return (sum & 0x0f0f0f0f) + ((sum >>> 4) & 0x0f0f0f0f)
}

function scanTwelve(query: Uint32Array, codes: Uint32Array, count: number, out: Uint16Array): void {
  const q0 = query[0]!,
    q1 = query[1]!,
    q2 = query[2]!,
    q3 = query[3]!,
    q4 = query[4]!,
    q5 = query[5]!
  const q6 = query[6]!,
    q7 = query[7]!,
    q8 = query[8]!,
    q9 = query[9]!,
    q10 = query[10]!,
    q11 = query[11]!
  for (let row = 0, p = 0; row < count; row++, p += 12) {
    const bytes =
      triple(codes[p]! ^ q0, codes[p + 1]! ^ q1, codes[p + 2]! ^ q2) +
      triple(codes[p + 3]! ^ q3, codes[p + 4]! ^ q4, codes[p + 5]! ^ q5) +
      triple(codes[p + 6]! ^ q6, codes[p + 7]! ^ q7, codes[p + 8]! ^ q8) +
      triple(codes[p + 9]! ^ q9, codes[p + 10]! ^ q10, codes[p + 11]! ^ q11)
    // Four bytes of up to 96 sum past 255: add halves instead of multiplying.
    const halves = (bytes & 0x00ff00ff) + ((bytes >>> 8) & 0x00ff00ff)
    out[row] = (halves + (halves >>> 16)) & 0xffff
  }
}
