import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { composeQuotes, createComposer } from '../../../shared/domain/answer/compose.ts'
import { chooseSentences, type Evidence } from '../../../shared/domain/answer/extract.ts'
import { cutAtWord, sentencesOf } from '../../../shared/domain/answer/sentences.ts'
import { createSynthesisReader, isSupported, readSynthesis } from '../../../shared/domain/answer/synthesis.ts'

describe('sentencesOf', () => {
  it.each([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    ['Use e.g. the red one. Not v1.2.3 of it.', ['Use e.g. the red one.', 'Not v1.2.3 of it.']],
    ['- a list\n- of lines\n\n', ['- a list', '- of lines']],
    ['水は青い。それは古い。', ['水は青い。', 'それは古い。']],
    ['  \n … !', []],
  ])('cuts %j', (text, expected) => {
    expect(sentencesOf(text)).toEqual(expected)
  })

  it('changes no character of a sentence', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        let at = 0
        for (const sentence of sentencesOf(text)) {
          const found = text.indexOf(sentence, at)
          expect(found).toBeGreaterThanOrEqual(at)
          at = found + sentence.length
        }
      }),
    )
  })
})

describe('cutAtWord', () => {
  it('fits, and halves no surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 2, max: 40 }), (text, most) => {
        const cut = cutAtWord(text, most)
        expect(cut.length).toBeLessThanOrEqual(Math.max(most, text.length <= most ? text.length : 0))
        if (!/\p{Cs}/u.test(text)) expect(cut).not.toMatch(/\p{Cs}/u)
      }),
    )
  })
})

describe('chooseSentences', () => {
  const at = (text: string, more: Partial<Evidence> = {}): Evidence => ({
    text,
    key: 'k',
    row: 0,
    rankScore: 0.9,
    similarity: 0.7,
    coverage: 0.6,
    ...more,
  })
  it('says nothing twice, leaves out what is not near, and stops at what is much worse', () => {
    const chosen = chooseSentences([
      at('The gate opens at 17:00.'),
      at('The gate opens at 5pm.', { row: 1 }),
      at('The fence is green.', { similarity: 0.3, coverage: 0.2 }),
      at('The gate is locked by Ada.', { similarity: 0.65 }),
      at('Gates are made of wood.', { rankScore: 0.3, similarity: 0.41 }),
    ])
    expect(chosen.map(({ text }) => text)).toEqual(['The gate opens at 17:00.', 'The gate is locked by Ada.'])
    expect(chooseSentences([])).toEqual([])
  })

  it('gives at most five', () => {
    const words = ['apples', 'pears', 'plums', 'cherries', 'quinces', 'grapes', 'figs']
    expect(chooseSentences(words.map((word, row) => at(`The barn holds ${word}.`, { row })))).toHaveLength(5)
  })
})

describe('readSynthesis', () => {
  it.each([
    [
      'A is b. [1] C is d [2].',
      [
        ['A is b.', [1]],
        ['C is d.', [2]],
      ],
      2,
    ],
    [
      'A is b. [1][2] C. [1, 3]',
      [
        ['A is b.', [1, 2]],
        ['C.', [1, 3]],
      ],
      2,
    ],
    ['A is b. No mark here. C is d. [9] E is f.', [], 4],
    [
      'A is b. [1] C is d. [9][2]',
      [
        ['A is b.', [1]],
        ['C is d.', [2]],
      ],
      2,
    ],
    ['[1]', [], 0],
    ['', [], 0],
  ])('reads %j', (text, cited, written) => {
    const read = readSynthesis(text, 3)
    expect([read.cited.map((one) => [one.text, one.cites]), read.written]).toEqual([cited, written])
  })

  it('names only evidence that was given, whatever a model writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab. [1]2,!?\n。'), maxLength: 120 }), (text) => {
        for (const { cites } of readSynthesis(text, 2).cited) expect(cites.every((n) => n === 1 || n === 2)).toBe(true)
      }),
    )
  })
})

describe('a synthesis that comes in pieces', () => {
  it('is read to the same sentences, however it is cut, and tells none before it is settled', () => {
    const text = fc.array(
      fc.oneof(
        fc.constantFrom(' [1]', '[2]', '[1, 2].', '[7]', ' Dr. ', '。', '\n- '),
        fc.string({ unit: fc.constantFrom(...'ab. (1!5'), maxLength: 12 }),
      ),
      {
        maxLength: 14,
      },
    )
    fc.assert(
      fc.property(text, fc.array(fc.nat(20), { maxLength: 20 }), (parts, lengths) => {
        const whole = parts.join('')
        const reader = createSynthesisReader(3)
        const told: ReturnType<typeof readSynthesis>[] = []
        let from = 0
        for (const length of lengths) {
          told.push(reader.feed(whole.slice(from, from + length)))
          from += length
        }
        told.push(reader.feed(whole.slice(from)), reader.end())
        const read = { cited: told.flatMap(({ cited }) => cited), written: told.reduce((sum, { written }) => sum + written, 0) }
        expect(read).toEqual(readSynthesis(whole, 3))
      }),
      { numRuns: 2000 },
    )
  })

  it('tells a sentence when the next one begins', () => {
    const reader = createSynthesisReader(2)
    expect(reader.feed('A is b. [1]').cited).toEqual([])
    expect(reader.feed('[2] ').cited).toEqual([])
    expect(reader.feed('C').cited).toEqual([{ text: 'A is b.', cites: [1, 2] }])
    expect(reader.end().cited).toEqual([])
  })

  it.each([
    ['marks', `a${'[1]'.repeat(200_000)}`],
    ['spaces', `a${' '.repeat(200_000)}b [1] c`],
    ['opened marks', `a${'[1'.repeat(200_000)} b`],
  ])('is read in time when it is %s', (_name, text) => {
    const from = performance.now()
    const reader = createSynthesisReader(2)
    reader.feed(text)
    reader.end()
    readSynthesis(text, 2)
    expect(performance.now() - from).toBeLessThan(2000)
  })
})

describe('isSupported', () => {
  const evidence = ['Production deploys run Tuesday and Thursday only; never Friday. They take 20 minutes.']
  it.each([
    ['Production deploys run on Tuesday and Thursday.', true],
    ['Deploys never run on Friday.', true],
    ['Production deploys take 45 minutes.', false],
    ['The capital of France is Paris.', false],
  ])('%s %s', (sentence, expected) => {
    expect(isSupported(sentence, evidence)).toBe(expected)
  })
  it('a denial needs one in the evidence', () => {
    expect(isSupported('The gate is not blue.', ['The gate is blue.'])).toBe(false)
  })
})

describe('composing an answer', () => {
  const sentence = fc.string({ unit: fc.constantFrom(...'ab cd. '), minLength: 1, maxLength: 120 })

  it('holds its length, and numbers what it quotes from 1', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: sentence, mustStand: fc.boolean() }), { maxLength: 8 }),
        fc.integer({ min: 100, max: 400 }),
        (quotes, most) => {
          const { answer, quoted } = composeQuotes(quotes, most)
          expect(answer.length).toBeLessThanOrEqual(most)
          expect([...answer.matchAll(/\[(\d+)\]/g)].map(([, n]) => Number(n))).toEqual(quoted.map((_, nth) => nth + 1))
          expect(quoted.length > 0).toBe(quotes.length > 0)
        },
      ),
    )
  })

  it('gives both that must stand their share of the room', () => {
    const long = 'word '.repeat(60).trim()
    const { answer, quoted } = composeQuotes(
      [
        { text: long, mustStand: true },
        { text: long, mustStand: true },
      ],
      100,
    )
    expect(quoted).toHaveLength(2)
    expect(answer.length).toBeLessThanOrEqual(100)
  })

  it('numbers evidence in the order in which it is named', () => {
    const told = (text: string, cites: number[], remark = '') => ({ text, cites, remark })
    const answer = createComposer(400)
    const pieces = [told('A.', [3]), told('B.', [1, 3]), told('C.', [2], ' (not supported)')].map((one) => answer.add(one))
    expect(pieces).toEqual(['A. [1]', 'B. [2][1]', 'C. [3] (not supported)'])
    expect(answer.named).toEqual([3, 1, 2])
  })

  it('takes what fits, and cuts the first alone', () => {
    const short = createComposer(100)
    const [first, second] = [
      short.add({ text: 'word '.repeat(100), cites: [2], remark: '' }),
      short.add({ text: 'B.', cites: [1], remark: '' }),
    ]
    expect(first?.length).toBeLessThanOrEqual(100)
    expect([first?.endsWith('… [1]'), second, short.named]).toEqual([true, null, [2]])
  })
})
