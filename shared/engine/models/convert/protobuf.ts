/**
 * The few parts of the protobuf wire format that an ONNX file needs. A message is a list of chunks, so that tensors
 * of tens of megabytes are never copied to put a length in front of them.
 */

/** Pieces of a message, in order. */
export type Chunks = readonly Uint8Array[]

const WIRE_VARINT = 0
const WIRE_BYTES = 2
const WIRE_FIXED32 = 5

/** Total length of the chunks in bytes. */
export function byteLength(chunks: Chunks): number {
  return chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
}

/** An integer field. Negative values take ten bytes, as protobuf's int64 does. */
export function intField(field: number, value: number): Chunks {
  return [Uint8Array.from([...varint((field << 3) | WIRE_VARINT), ...varint(value)])]
}

/** A 32-bit float field. */
export function floatField(field: number, value: number): Chunks {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setFloat32(0, value, true)
  return [Uint8Array.from(varint((field << 3) | WIRE_FIXED32)), bytes]
}

/** A text field, as UTF-8. */
export function textField(field: number, value: string): Chunks {
  return messageField(field, [new TextEncoder().encode(value)])
}

/** A nested message or raw bytes, with their length in front. */
export function messageField(field: number, content: Chunks): Chunks {
  return [Uint8Array.from([...varint((field << 3) | WIRE_BYTES), ...varint(byteLength(content))]), ...content]
}

function varint(value: number): number[] {
  let rest = BigInt.asUintN(64, BigInt(value))
  const bytes: number[] = []
  do {
    const low = Number(rest & 127n)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 128 : low)
  } while (rest > 0n)
  return bytes
}
