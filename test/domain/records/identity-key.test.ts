import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { deriveKey, exactKey, isNameLike, nameKey } from '../../../shared/domain/records/identity-key.ts'
import type { FieldDef, FieldType, Scalar } from '../../../shared/domain/records/schema.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const field = (name: string, type: FieldType = 'string', identity = true): FieldDef => ({
  name,
  type,
  identity,
  description: '',
  required: false,
})
const keyOf = (values: Record<string, Scalar>, fields = Object.keys(values).map((name) => field(name, typeof values[name] as FieldType))) =>
  deriveKey('s', fields, new Map(Object.entries(values)), sha256)

test.each([
  ['name', true],
  ['title', true],
  ['label', true],
  ['full_name', true],
  ['job_title', true],
  ['shelf_label', true],
  ['names', false],
  ['rename', false],
  ['name_of', false],
  ['subtitle', false],
  ['id', false],
])('[REC023] %s is name-like: %s', (name, is) => {
  expect(isNameLike(field(name))).toBe(is)
  expect(isNameLike(field(name, 'number'))).toBe(false)
})

describe('a name-like field', () => {
  test.each([
    ['case, article and possessive do not count', 'acme', ['ACME', 'acme', 'The Acme', 'Acme\u2019s', "acme's", 'an ACME', '  the-acme_ ']],
    ['only one article goes', 'the', ['The The']],
    ['words do', 'alice diner', ["Alice's Diner", 'alice_diner', 'ALICE  DINER', 'Alice\u02bcs-Diner']],
    ['a possessive after an s', 'james house', ["James' House", 'james house']],
    ['beatles', 'beatles', ['The Beatles', 'beatles', 'BEATLES']],
  ])('[REC024] %s', (_what, key, texts) => {
    expect(texts.map(nameKey)).toEqual(texts.map(() => key))
  })

  test.each([
    ['accents', ['Café', 'Cafe', 'CAFE\u0301', 'cafè'], 'cafe'],
    ['the Japanese voicing mark', ['かぎ', 'かき', 'かき\u3099'], 'かき'],
    ['the virama', ['क्ष', 'कष'], 'कष'],
    ['Thai tone marks', ['ก่า', 'ก้า', 'กา'], 'กา'],
    ['Hebrew points and Arabic vowels', ['שָׁלוֹם', 'שלום'], 'שלום'],
    ['full width and ligatures', ['ﬁne Ｃo', 'FINE co'], 'fine co'],
  ])('[REC025] %s do not count', (_what, texts, key) => {
    expect(texts.map(nameKey)).toEqual(texts.map(() => key))
  })

  it('[REC026] keeps Indic vowel signs', () => {
    expect(nameKey('कि')).not.toBe(nameKey('का'))
    expect(nameKey('कि')).toBe('कि')
    expect(nameKey('தி')).not.toBe(nameKey('தா'))
  })

  it('[REC027] is refused when nothing is left, and in no other case', () => {
    for (const text of ['The -_', 'a', "'s", '', ' ', '\u0301', '__--', "the 's", "'"]) {
      const expected = text === "'" ? "'" : ''
      expect([text, nameKey(text)]).toEqual([text, expected])
    }
    expect(['★', 'C', 'C++', 'C#', '"', '👩‍🚀'].map(nameKey)).toEqual(['★', 'c', 'c++', 'c#', '"', '👩‍🚀'])
    expect(keyOf({ name: 'The -_' })).toEqual({ missing: 'name', empty: true })
    expect(keyOf({ name: '★' })).toEqual({ key: 's/★' })
  })
})

describe('any other identity field', () => {
  test.each([
    ['inv2024001', ['INV-2024/001', 'inv 2024 001', 'Ínv_2024.001', 'ＩＮＶ２０２４００１']],
    ['strasse1', ['Straße 1', 'STRASSE-1']],
  ])('[REC028] keys on a-z and 0-9: %s', (key, texts) => {
    expect(texts.map(exactKey)).toEqual(texts.map(() => key))
  })

  it('[REC029] keys on letters, digits and marks where it has none of those', () => {
    expect(['Договор', 'ДОГОВОР', 'до-говор'].map(exactKey)).toEqual(['договор', 'договор', 'договор'])
    expect(exactKey('東京・都')).toBe('東京都')
    expect(exactKey('٣٤')).toBe('٣٤')
  })

  it('[REC030] strips no mark there', () => {
    for (const [a, b] of [
      ['かぎ', 'かき'],
      ['مُحَمَّد', 'محمد'],
      ['שָׁלוֹם', 'שלום'],
      ['कि', 'का'],
      ['ก่า', 'ก้า'],
    ] as const)
      expect(exactKey(a)).not.toBe(exactKey(b))
    expect(exactKey('か\u3099')).toBe(exactKey('が'))
  })

  it('[REC031] keys on a-z and 0-9 alone where a single one is left', () => {
    expect(['30 дней', '30 суток', '2024年度', '№', 'no', '℃', 'C'].map(exactKey)).toEqual(['30', '30', '2024', 'no', 'no', 'c', 'c'])
  })

  it('[REC032] is refused with no letter and no digit', () => {
    expect(['---', '★', '\u0301', '', ' \t', '\u3099'].map(exactKey)).toEqual(['', '', '', '', '', ''])
    expect(keyOf({ id: '---' })).toEqual({ missing: 'id', empty: true })
  })

  it('tells numbers and booleans apart', () => {
    expect([45, 4.5, -4.5, 1e21, 1e-7, 0].map((n) => keyOf({ n }))).toEqual(
      ['45', '4p5', 'm4p5', '1e21', '1em7', '0'].map((part) => ({ key: `s/${part}` })),
    )
    expect([true, false].map((is) => keyOf({ is }))).toEqual([{ key: 's/true' }, { key: 's/false' }])
  })
})

describe('the key of a record', () => {
  it('[REC021] joins the identity fields in the order of the schema, and escapes what would part them', () => {
    const fields = [field('id'), field('note', 'string', false), field('name')]
    const values = new Map<string, Scalar>([
      ['name', 'AC/DC 100%'],
      ['note', 'x'],
      ['id', 7],
    ])
    expect(deriveKey('band', fields, values, sha256)).toEqual({ key: 'band/7/ac%2Fdc 100%25' })
    expect(deriveKey('band', fields, new Map([['id', 7]]), sha256)).toEqual({ missing: 'name', empty: false })
    expect(deriveKey('band', [field('note', 'string', false)], values, sha256)).toEqual({ missing: '', empty: false })
  })

  it('is cut over 512 characters, and told apart by a hash', () => {
    const long = keyOf({ id: 'x'.repeat(600) })
    const whole = `s/${'x'.repeat(600)}`
    expect(long).toEqual({ key: `${whole.slice(0, 440)}~${sha256(whole).slice(0, 32)}` })
    expect(keyOf({ id: 'x'.repeat(510) })).toEqual({ key: `s/${'x'.repeat(510)}` })
    const astral = keyOf({ name: `x${'🦊'.repeat(400)}` })
    expect('key' in astral && /\p{Cs}/u.test(astral.key)).toBe(false)
  })

  it('[REC022] is one for every spelling of one thing, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        // To a reader NFC and NFD are one text.
        for (const key of [nameKey, exactKey]) expect(key(text.normalize('NFD'))).toBe(key(text.normalize('NFC')))
        expect(nameKey(text)).toBe(nameKey(text).normalize('NFC'))
      }),
      { numRuns: 5000 },
    )
  })
})
