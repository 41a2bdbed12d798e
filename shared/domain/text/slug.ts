/** Letters whose full case folding is not the small form of their capital. */
const CHEROKEE_SMALL = /[\u13f8-\u13fd\uab70-\uabbf]/
const KEPT = /[\u0131\u13a0-\u13f5]/
const THE_LAST_MARK = '\u0345'

function foldOne(character: string): string {
  if (KEPT.test(character)) return character
  if (CHEROKEE_SMALL.test(character)) return character.toUpperCase()
  return [...character.toLowerCase().toUpperCase()].map((one) => one.toLowerCase()).join('')
}

/** Full case folding, as Unicode has it (statuses C and F, no Turkic rule): "Straße" and "STRASSE" are one. */
function foldCase(text: string): string {
  return [...text].map(foldOne).join('')
}

/**
 * Whether a character's canonical combining class is not 0. Marks are put in the order of their classes by every normal
 * form, so such a one changes places with the mark of the highest class.
 */
function combines(character: string): boolean {
  return character === THE_LAST_MARK || !`${THE_LAST_MARK}${character}`.normalize('NFD').startsWith(THE_LAST_MARK)
}

const FIRST_MARK = '\u0300'

/** A text without the characters that combine with the one before them. */
function withoutMarks(text: string): string {
  return [...text].filter((character) => character < FIRST_MARK || !combines(character)).join('')
}

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
