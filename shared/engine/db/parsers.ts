/**
 * One reading of the types on which PGlite and pg disagree. int8 is a bigint always: a version that passes through a
 * JavaScript number loses digits. bytea is a Uint8Array.
 */
const INT8 = 20
const BYTEA = 17

function parseBytea(text: string): Uint8Array {
  const hex = text.slice(2)
  const bytes = new Uint8Array(hex.length / 2)
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16)
  return bytes
}

export const PARSERS: Readonly<Record<number, (text: string) => unknown>> = { [INT8]: BigInt, [BYTEA]: parseBytea }
