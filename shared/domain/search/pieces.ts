import { stemmer } from 'stemmer'
import { IRREGULAR_FORMS } from './irregular-forms.ts'
import { STOP_WORDS } from './stop-words.ts'

/** A piece of a text that stands for itself, as written, with its place (UTF-16 units). */
export interface Token {
  readonly raw: string
  readonly index: number
}

const CJK = '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}'
const TOKEN = /[\p{L}\p{M}\p{N}_]+(?:[-./:@#'’+&\\][\p{L}\p{M}\p{N}_]+)*(?:\+\+|#(?![\p{L}\p{N}]))?|\p{Extended_Pictographic}/gu
const ASCII_TOKEN = /[A-Za-z0-9_]+(?:[-./:@#'+&\\][A-Za-z0-9_]+)*(?:\+\+|#(?![A-Za-z0-9]))?/g
const ASCII_ONLY = /^[\x00-\x7f]*$/
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu')
/** Marks that are accents or optional vowel points; in other scripts a mark is part of the letter. */
const FOLDED_SCRIPTS = /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}]/u
const LETTERS = /^[a-z]+$/
const LATIN_OR_DIGIT = /^[a-z0-9]+$/
const CAMEL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
/** Longest term kept; more is a hash or encoded data, which its start identifies as well. */
const LONGEST_TERM = 64
const LONGEST_COMPOUND = 256
const SPECIAL: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ı: 'i', ة: 'ه', ى: 'ي', ـ: '' }
const SPECIAL_LETTERS = new RegExp(`[${Object.keys(SPECIAL).join('')}]`, 'gu')

function stem(word: string): string {
  const base = IRREGULAR_FORMS.get(word) ?? word
  return base.length >= 3 && LETTERS.test(base) ? stemmer(base) : base
}

/** One spelling for width, case and accents: NFKC, lower case, marks off where they are accents. */
export function fold(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase()
  const lower = text.normalize('NFKC').toLowerCase()
  if (!FOLDED_SCRIPTS.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replace(/(?<=[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}]\p{M}*)\p{M}/gu, '')
    .normalize('NFC')
    .replace(SPECIAL_LETTERS, (letter) => SPECIAL[letter] ?? letter)
}

/** The tokens of a text in order: words, identifiers, paths, versions and emoji; Chinese or Thai as whole runs. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = ASCII_ONLY.test(text) ? ASCII_TOKEN : TOKEN
  for (const match of text.matchAll(pattern)) tokens.push({ raw: match[0], index: match.index })
  return tokens
}

/** A token taken apart: words with their sub-words, and runs of scripts without spaces. */
export type Piece =
  | { readonly kind: 'word'; readonly surface: string; readonly term: string }
  | { readonly kind: 'compound'; readonly surface: string; readonly whole: string; readonly parts: readonly string[] }
  | { readonly kind: 'cjk'; readonly surface: string; readonly text: string }
  | { readonly kind: 'grams'; readonly surface: string; readonly whole: string; readonly grams: readonly string[] }

function gramsOf(word: string, size: number): string[] {
  const letters = [...word]
  if (letters.length <= size) return [`~${word}`]
  const grams: string[] = []
  for (let i = 0; i + size <= letters.length; i++) grams.push(`~${letters.slice(i, i + size).join('')}`)
  return grams
}

/** What stands before an apostrophe, or after a French elision (`l'école`). */
function withoutApostrophe(word: string): string {
  const at = word.search(/['’]/)
  if (at < 0) return word
  const after = word.slice(at + 1).replace(/['’].*$/, '')
  return at <= 2 && after.length >= 3 ? after : word.slice(0, at)
}

function plainPiece(raw: string): Piece {
  const folded = fold(withoutApostrophe(raw)).slice(0, LONGEST_TERM)
  if (LATIN_OR_DIGIT.test(folded) || !/[^\p{sc=Latn}\p{N}_#+]/u.test(folded)) {
    return { kind: 'word', surface: raw, term: stem(folded) }
  }
  if (!/\p{L}/u.test(folded)) return { kind: 'word', surface: raw, term: folded }
  return { kind: 'grams', surface: raw, whole: folded, grams: gramsOf(folded, 3) }
}

function compoundPiece(raw: string): Piece {
  const parts: string[] = []
  for (const chunk of raw.split(/[-./:@#+&\\_]+/)) {
    if (chunk === '') continue
    for (const word of chunk.split(CAMEL)) {
      const folded = fold(withoutApostrophe(word)).slice(0, LONGEST_TERM)
      if (folded === '' || STOP_WORDS.has(folded)) continue
      parts.push(stem(folded))
      // "python3" is also "python"; "p95" and "7pm" stay as they are.
      const letters = /^([a-z]{3,})\d+$/.exec(folded)
      if (letters?.[1] !== undefined) parts.push(stem(letters[1]))
    }
  }
  // user_id, user-id and userId are one name; the dots of 1.2.3 and the slashes of a path are not noise.
  const whole = fold(raw.replace(/['’].*$/, ''))
    .replace(/[-_]/g, '')
    .replace(/^v(?=\d)/, '')
    .slice(0, LONGEST_TERM)
  return { kind: 'compound', surface: raw, whole: stem(whole), parts: [...new Set(parts)] }
}

/** Words seen before: taking a word apart costs fifty times its look-up, and most words of a text are seen again. */
const known = new Map<string, Piece | null>()
const MOST_KNOWN = 50_000
const LONGEST_KNOWN = 32

function pieceOf(raw: string): Piece | null {
  if (raw.length > LONGEST_KNOWN) return newPiece(raw)
  const found = known.get(raw)
  if (found !== undefined) return found
  if (known.size >= MOST_KNOWN) known.clear()
  const piece = newPiece(raw)
  known.set(raw, piece)
  return piece
}

function newPiece(raw: string): Piece | null {
  if (raw.length > LONGEST_COMPOUND) raw = raw.slice(0, LONGEST_COMPOUND)
  const compound = /[-./:@#+&\\_]/.test(raw.slice(0, -1)) || CAMEL.test(raw) || /^[A-Za-z]{3,}\d+$/.test(raw)
  if (compound && !/^_+$/.test(raw)) {
    const piece = compoundPiece(raw)
    if (piece.kind === 'compound' && piece.whole !== '') return piece
    return null
  }
  const piece = plainPiece(raw)
  if (piece.kind === 'word' && (piece.term === '' || STOP_WORDS.has(fold(withoutApostrophe(raw))))) return null
  return piece
}

/** A text taken apart, function words left out. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  const push = (raw: string): void => {
    const piece = raw === '' ? null : pieceOf(raw)
    if (piece !== null) pieces.push(piece)
  }
  if (ASCII_ONLY.test(text)) {
    for (const raw of text.match(ASCII_TOKEN) ?? []) push(raw)
    return pieces
  }
  for (const { raw } of tokensOf(text)) {
    if (ASCII_ONLY.test(raw)) {
      push(raw)
      continue
    }
    const composed = raw.normalize('NFKC')
    let from = 0
    for (const run of composed.matchAll(CJK_RUN)) {
      for (const part of tokensOf(composed.slice(from, run.index))) push(part.raw)
      pieces.push({ kind: 'cjk', surface: run[0], text: run[0] })
      from = run.index + run[0].length
    }
    if (from === 0) push(composed)
    else for (const part of tokensOf(composed.slice(from))) push(part.raw)
  }
  return pieces
}
