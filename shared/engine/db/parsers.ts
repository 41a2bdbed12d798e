/**
 * One reading of the types on which PGlite and pg disagree. int8 is a bigint always: a version that passes through a
 * JavaScript number loses digits. bytea is a Uint8Array.
 */
const INT8 = 20
const BYTEA = 17

function parseBytea(text: string): Uint8Array {
  const bytes = Buffer.from(text.slice(2), 'hex')
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export const PARSERS: Readonly<Record<number, (text: string) => unknown>> = { [INT8]: BigInt, [BYTEA]: parseBytea }
