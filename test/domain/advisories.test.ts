import { describe, expect, it } from 'vitest'
import { valueAdvisories } from '../../shared/domain/advisories.ts'

const names = (value: unknown, stored = JSON.stringify(value), limit = 30_000) =>
  valueAdvisories(value, stored, limit).map((advisory) => advisory.split(':')[0])

const bytes = (count: number) => Buffer.from(Array.from({ length: count }, (_, i) => (i * 37 + 11) % 256)).toString('base64')

describe('valueAdvisories', () => {
  it('names base64 and advises to send the text [KEY013]', () => {
    expect(valueAdvisories(bytes(200), '', 0)).toEqual([expect.stringMatching(/^base64: .*send the text/)])
    expect(names(bytes(48))).toEqual(['base64'])
    expect(names(bytes(47).slice(0, 63))).toEqual([])
  })

  it.each([
    ['one case', 'a'.repeat(63) + '1'],
    ['no digit', 'Ab'.repeat(40)],
    ['a length that does not decode', `${bytes(48)}A`],
    ['words', 'The quick brown fox jumps over the lazy dog 1234 times and then rests a while.'],
    ['an object', { a: bytes(200) }],
  ])('does not take %s for base64 [KEY013]', (_, value) => {
    expect(names(value)).not.toContain('base64')
  })

  it('names a string that holds a JSON object, and nothing else that parses [KEY014]', () => {
    expect(valueAdvisories('{"a": 1}', '', 0)).toEqual([expect.stringMatching(/^double-encoded: .*object itself.*tags/)])
    expect(names(' \n{"a": {"b": []}} ')).toEqual(['double-encoded'])
    for (const value of ['[1, 2]', '"text"', '12', 'null', '{a: 1}', '{"a": 1', { a: 1 }]) expect(names(value)).toEqual([])
  })

  it('names what is stored longer than the setting allows, which 0 turns off [KEY015]', () => {
    const value = 'x'.repeat(29_998)
    expect(names(value)).toEqual([])
    expect(names(`${value}x`)).toEqual(['oversized'])
    expect(valueAdvisories(`${value}x`, JSON.stringify(`${value}x`), 30_000)[0]).toMatch(/^oversized: .*claim.*knowledge\.add/)
    expect(names(`${value}x`, undefined, 0)).toEqual([])
  })
})
