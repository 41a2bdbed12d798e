import { foldCase, withoutMarks } from '../text/fold-case.ts'
import type { FieldDef, FieldType, Scalar } from './schema.ts'

/** How a record's key is made of its identity fields, so that two writes of one thing land on one record. */

const NAME_LIKE = /^(?:.*_)?(?:name|title|label)$/

/** Fields that key on their words: name, title, label, and what ends in _name, _title or _label. */
export function isNameLike({ name, type }: { readonly name: string; readonly type: FieldType }): boolean {
  return type === 'string' && NAME_LIKE.test(name)
}

const ARTICLES = new Set(['the', 'a', 'an'])

const withoutPossessive = (word: string): string => word.replace(/'s$/, '').replace(/(?<=s)'$/, '')

/** Words without case, accents, a leading article or a possessive; '' when nothing is left. */
export function nameKey(text: string): string {
  const folded = withoutMarks(foldCase(withoutMarks(text.normalize('NFKD'))).normalize('NFKD'))
  const words = folded
    .replace(/[\u2019\u2018\u02bc]/g, "'")
    .split(/[\p{White_Space}_-]+/u)
    .map(withoutPossessive)
    .filter((word) => word !== '')
  return (ARTICLES.has(words[0] ?? '') ? words.slice(1) : words).join(' ').normalize('NFC')
}

/**
 * The letters a-z and digits of a text, accents off; where it has none, every letter, digit and mark of it as it stands.
 * '' when there is no letter and no digit.
 */
export function exactKey(text: string): string {
  const latin = foldCase(withoutMarks(foldCase(text).normalize('NFKD'))).replace(/[^a-z0-9]/g, '')
  if (latin !== '') return latin
  const kept = foldCase(text.normalize('NFKC'))
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '')
  return /[\p{L}\p{N}]/u.test(kept) ? kept : ''
}

/** A value as text: −4.5 is m4p5, so that 45, 4.5 and −4.5 stay three. */
function textOf(value: Scalar): string {
  if (typeof value !== 'number') return String(value)
  return String(value).replaceAll('-', 'm').replaceAll('.', 'p')
}

const escaped = (part: string): string => part.replace(/[%/\p{Cc}]/gu, (character) => encodeURIComponent(character))

const LONGEST = 512
const CUT_AT = 440
const HASH_DIGITS = 32

/** Cuts before a character, never inside one. */
function cut(text: string): string {
  const last = text.charCodeAt(CUT_AT - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? CUT_AT - 1 : CUT_AT)
}

export type DerivedKey =
  | { readonly key: string }
  /** The identity field that has no value, or a value that leaves nothing; '' where the schema has no identity field. */
  | { readonly missing: string; readonly empty: boolean }

/**
 * The key of a record from the values of its identity fields.
 * @param sha256 lowercase hex of a text's UTF-8
 */
export function deriveKey(
  schema: string,
  fields: readonly FieldDef[],
  values: ReadonlyMap<string, Scalar>,
  sha256: (text: string) => string,
): DerivedKey {
  const identity = fields.filter((field) => field.identity)
  if (identity.length === 0) return { missing: '', empty: false }
  const parts = [schema]
  for (const field of identity) {
    const value = values.get(field.name)
    if (value === undefined) return { missing: field.name, empty: false }
    const part = isNameLike(field) ? nameKey(String(value)) : exactKey(textOf(value))
    if (part === '') return { missing: field.name, empty: true }
    parts.push(escaped(part))
  }
  const key = parts.join('/')
  return { key: key.length <= LONGEST ? key : `${cut(key)}~${sha256(key).slice(0, HASH_DIGITS)}` }
}
