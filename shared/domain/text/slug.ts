import { foldCase, withoutMarks } from './fold-case.ts'

const LONGEST = 60
const HASH_LENGTH = 8

/**
 * A text as part of a key: small letters, numbers and marks, anything else a hyphen, at most 60 characters. One that is cut,
 * or has nothing left, gets the start of its hash, so that two texts do not share it.
 * @param sha256 lowercase hex of a text's UTF-8
 */
export function slug(text: string, sha256: (text: string) => string): string {
  const bare = withoutMarks(foldCase(text).normalize('NFKD'))
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .normalize('NFC')
  const characters = [...bare]
  if (characters.length > 0 && characters.length <= LONGEST) return bare
  return `${characters.slice(0, LONGEST).join('')}-${sha256(text).slice(0, HASH_LENGTH)}`
}
