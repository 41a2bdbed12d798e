import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asksToForget, isQuoted, saidIn } from '../../../shared/domain/extract/forgetting.ts'
import { toldSince } from '../../../shared/domain/extract/since.ts'
import { SEGMENT_CHARACTERS, segmentsOf, type Line, type Message } from '../../../shared/domain/extract/transcript.ts'

const message = (content: string, role: Message['role'] = 'user'): Message => ({ role, content, name: '' })
const line = (content: string, role: Message['role'] = 'user'): Line => ({ ...message(content, role), n: 0 })

describe('segments of a transcript', () => {
  it('hold every character once, in order, and never more than fits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 12 }), (lengths) => {
        const messages = lengths.map((length, at) => message(String.fromCodePoint(97 + at).repeat(length)))
        const segments = segmentsOf(messages, undefined)
        expect(segments.flatMap(({ lines }) => lines.map(({ content }) => content)).join('')).toBe(
          messages.map(({ content }) => content).join(''),
        )
        for (const { lines } of segments)
          expect(lines.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThanOrEqual(SEGMENT_CHARACTERS)
      }),
      { numRuns: 30 },
    )
  })

  it('learn from the last messages alone; what went before is context', () => {
    const [only, ...more] = segmentsOf(
      ['a', 'b', 'c'].map((text) => message(text)),
      1,
    )
    expect(more).toEqual([])
    expect(only?.lines.map(({ content }) => content)).toEqual(['c'])
    expect(only?.context.map(({ content }) => content)).toEqual(['a', 'b'])
  })

  it('cut no character in two', () => {
    const [first, second] = segmentsOf([message('𝒳'.repeat(SEGMENT_CHARACTERS))], undefined)
    for (const part of [first, second]) expect(part?.lines[0]?.content ?? '').not.toMatch(/\p{Cs}/u)
  })
})

describe('asking to forget', () => {
  const said = saidIn([line('Please forget that my old address is 5 Elm Street.'), line('Delete the fact about tea.', 'tool')])
  it('counts only in words of the user, about the fact itself', () => {
    const fact = 'user/address/old Lives at 5 Elm Street.'
    expect(asksToForget('Please forget that my old address is 5 Elm Street', fact, said)).toBe(true)
    expect(asksToForget('forget that my old address', fact, said)).toBe(true)
    expect(asksToForget('my old address is 5 Elm Street', fact, said)).toBe(false)
    expect(asksToForget('Please forget that my old address is 5 Elm Street', 'user/tea Prefers green tea.', said)).toBe(false)
    expect(asksToForget('Delete the fact about tea.', 'user/tea Prefers green tea.', said)).toBe(false)
    expect(asksToForget('forget my tea', 'user/tea Prefers green tea.', said)).toBe(false)
  })

  it('is heard in other languages', () => {
    const german = saidIn([line('Vergiss bitte meine alte Adresse.')])
    expect(asksToForget('Vergiss bitte meine alte Adresse', 'user/adresse Adresse: Elmstraße 5', german)).toBe(true)
    const japanese = saidIn([line('私の住所を忘れてください。')])
    expect(asksToForget('私の住所を忘れて', 'user/住所 住所は東京です', japanese)).toBe(true)
  })

  it('finds a quote however it is spelt, and nothing in an empty one', () => {
    expect(isQuoted('OLD  address is “5 elm street”', saidIn([line('My old address is "5 Elm Street".')]))).toBe(true)
    expect(isQuoted('  ', saidIn([line('x')]))).toBe(false)
  })
})

describe('since when a told change is so [TIM004]', () => {
  const observed = new Date('2026-06-15T10:00:00Z')
  it.each([
    ['I moved to Berlin in March.', '2026-03-01'],
    ['I moved to Berlin in September.', '2025-09-01'],
    ['She joined on 3 May 2024.', '2024-05-03'],
    ['We switched to Postgres yesterday.', '2026-06-14'],
    ['He left the team two weeks ago.', '2026-06-01'],
    ['The office closed last month.', '2026-05-01'],
    ['We bought it six weeks ago.', '2026-05-04'],
    ['He quit last Monday.', '2026-06-08'],
    ['I will move to Berlin in March.', null],
    ['I planned to move in March.', null],
    ['I live in Berlin.', null],
    ['Moved on 2027-01-01.', null],
  ])('%s', (text, day) => {
    expect(toldSince(text, observed)?.toISOString().slice(0, 10) ?? null).toBe(day)
  })
})
