import { firstCharacters } from './claim-text.ts'
import { storedLength } from './stored-form.ts'

/** Stored characters of a text that are embedded and indexed, suffix included (KEY010). */
export const EXCERPT_LIMIT = 1200
const SUFFIX_LIMIT = 400
export const DIGEST_KEY = /^import:[0-9a-f]{24}$/

/** A key that is only a digest of its text says nothing: it has no suffix and no vector (IMP020-023). */
export function isDigestKey(key: string): boolean {
  return DIGEST_KEY.test(key)
}

/** The longest start of `text` whose stored form fits `room` characters, never half a surrogate pair. */
export function fitting(text: string, room: number): string {
  // A stored character is at least one unit: what lies past the room is never read, however long the text.
  if (text.length * 6 <= room || (text.length <= room && storedLength(text) <= room)) return text
  const plain = text.slice(0, room)
  if (storedLength(plain) === plain.length) return plain
  let used = 0
  let end = 0
  for (const character of text.slice(0, room + 1)) {
    const length = storedLength(character)
    if (used + length > room) break
    used += length
    end += character.length
  }
  return text.slice(0, end)
}

/** `(#<key>)`, cut to 400 characters; empty for a digest key. */
function suffixOf(key: string): string {
  return isDigestKey(key) ? '' : firstCharacters(`(#${key})`, SUFFIX_LIMIT)
}

/** Stored characters, quotes included, that the claim may take: the limit less the suffix. */
export function excerptRoom(key: string): number {
  return EXCERPT_LIMIT - suffixOf(key).length
}

/** What is embedded and indexed of a claim: the start of its text, and its key. */
export function indexedText(claim: string, key: string): string {
  const suffix = suffixOf(key)
  const start = fitting(claim, excerptRoom(key) - 2)
  return suffix === '' ? start : `${start} ${suffix}`
}
