import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { claimText, firstCharacters, isProcedureBody, valueText } from '../../../shared/domain/claim/claim-text.ts'
import { chunksOf } from '../../../shared/domain/claim/chunks.ts'
import { EXCERPT_LIMIT, excerptRoom, fitting, indexedText } from '../../../shared/domain/claim/excerpt.ts'
import { detectFiles } from '../../../shared/domain/claim/files.ts'
import type { Json } from '../../../shared/domain/claim/json.ts'
import { asciiOnly, compactJson, storedForm, storedLength } from '../../../shared/domain/claim/stored-form.ts'

describe('the stored form', () => {
  it('sorts members, keeps integers digit for digit and escapes what is not ASCII [KEY020]', () => {
    expect(storedForm({ b: 1, a: [true, null, 'é'], 日: 12345678901234567890n })).toBe(
      '{"a":[true,null,"\\u00e9"],"b":1,"\\u65e5":12345678901234567890}',
    )
    expect(storedForm('😀')).toBe('"\\ud83d\\ude00"')
    expect([storedForm(1e21), storedForm(0.1), storedForm(-0), storedForm(100)]).toEqual(['1e+21', '0.1', '0', '100'])
  })

  it('is equal exactly for equal values, whatever the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const reversed = JSON.parse(JSON.stringify(value), (_name, member: unknown) =>
          typeof member === 'object' && member !== null && !Array.isArray(member)
            ? Object.fromEntries(Object.entries(member).reverse())
            : member,
        ) as Json
        expect(storedForm(reversed)).toBe(storedForm(value as Json))
        expect(JSON.parse(compactJson(value as Json))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('claim text', () => {
  it('is the string, the member claim, the parts of a procedure, or paths', () => {
    expect(claimText('plain')).toBe('plain')
    expect(claimText({ claim: 'inside', other: 1 })).toBe('inside')
    expect(claimText({ title: 'Rollback', situation: 'after a bad release', steps: ['Freeze', { do: 'Revert' }] })).toBe(
      'Rollback; after a bad release; Freeze; Revert',
    )
    expect(claimText({ a: { b: 1 }, c: [true, 'x'] })).toBe('a.b: 1; c.0: true; c.1: x')
    expect(valueText({ b: 1, a: 2 })).toBe('{"a":2,"b":1}')
    expect([isProcedureBody({ steps: [] }), isProcedureBody({ steps: ['a'] }), isProcedureBody('steps')]).toEqual([false, true, false])
  })

  it('never cuts a surrogate pair in half', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(50), (text, most) => {
        const cut = firstCharacters(text, most)
        expect(cut.length).toBeLessThanOrEqual(most)
        expect(text.startsWith(cut)).toBe(true)
        expect(/[\uD800-\uDBFF]$/.test(cut)).toBe(false)
      }),
    )
  })
})

describe('excerpt and chunks', () => {
  it('fits the stored form into its room', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 0, max: 600 }), (text, room) => {
        const start = fitting(text, room)
        expect(storedLength(start)).toBeLessThanOrEqual(Math.max(room, 0))
        expect(text.startsWith(start)).toBe(true)
      }),
    )
  })

  it('joins to the text, each at most 1,200 stored characters [KEY017]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 500, maxLength: 4000 }), (text) => {
        const chunks = chunksOf(text, storedForm(text), 'a/key')
        if (storedForm(text).length > excerptRoom('a/key')) expect(chunks.join('')).toBe(text)
        else expect(chunks).toEqual([])
        for (const chunk of chunks) expect(storedLength(chunk)).toBeLessThanOrEqual(EXCERPT_LIMIT)
      }),
      { numRuns: 30 },
    )
  })

  it('carries the key as a suffix, but for a digest', () => {
    expect(indexedText('a claim', 'deploy/window')).toBe('a claim (#deploy/window)')
    expect(indexedText('a claim', 'import:0123456789abcdef01234567')).toBe('a claim')
    expect(asciiOnly('é')).toBe('\\u00e9')
    expect(excerptRoom('k'.repeat(512))).toBe(800)
  })
})

describe('files in a text', () => {
  it('finds repository paths and no addresses', () => {
    expect(detectFiles('See ./src/app/main.ts and docs/guide.md, not https://x.io/a/b.html or 1/2 or a@b.c.')).toEqual([
      'src/app/main.ts',
      'docs/guide.md',
    ])
  })
  it('stays quick on hostile text', () => {
    const from = Date.now()
    detectFiles('a/'.repeat(20_000))
    detectFiles('./'.repeat(20_000))
    expect(Date.now() - from).toBeLessThan(1000)
  })
})
