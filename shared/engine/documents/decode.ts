import { unreadable } from './refusal.ts'
import { isStorable, storable } from './storable.ts'

/** The text encodings that a file says itself, by its first bytes. */
function markedEncoding(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

const HEAD_BYTES = 1024
const DECLARED = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([a-z0-9_:.-]{1,40})/i

/** What a page says of itself in its first kilobyte, where the platform knows it. */
function declaredEncoding(bytes: Uint8Array): string | null {
  const name = DECLARED.exec(Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1'))?.[1]
  if (name === undefined) return null
  try {
    return new TextDecoder(name).encoding
  } catch {
    return null
  }
}

function decoded(bytes: Uint8Array, encoding: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * Text of a text file: UTF-8, or UTF-16 with its mark.
 * @throws LoomError INVALID_ARGUMENT for other bytes
 */
export function decodeText(bytes: Uint8Array): string {
  const text = decoded(bytes, markedEncoding(bytes) ?? 'utf-8', true)
  if (text === null) throw unreadable('is not text in UTF-8 (or UTF-16 with its mark). Save the file as UTF-8, and add that.')
  if (!isStorable(text)) throw unreadable('holds NUL or a lone surrogate, so it is no text file.')
  return text
}

/** Text of a page, read as browsers do: its mark, what it declares, UTF-8, and at last Windows-1252, which takes any byte. */
export function decodeHtml(bytes: Uint8Array): string {
  const marked = markedEncoding(bytes)
  const told = marked ?? declaredEncoding(bytes)
  const text = (told && decoded(bytes, told, false)) ?? decoded(bytes, 'utf-8', true) ?? decoded(bytes, 'windows-1252', false) ?? ''
  return storable(text, '\ufffd')
}
