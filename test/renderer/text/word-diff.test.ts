import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differingWords, wordDiff, type Piece } from '../../../renderer/text/word-diff.ts'

const marked = (pieces: readonly Piece[]): string =>
  pieces.map(({ text, kind }) => (kind === 'same' ? text : kind === 'new' ? `{+${text}+}` : `{-${text}-}`)).join('')

describe('wordDiff', () => {
  it('marks the words that changed, and no more', () => {
    expect(marked(wordDiff('Deploys run Tuesday and Wednesday only.', 'Deploys run Tuesday and Thursday only.'))).toBe(
      'Deploys run Tuesday and {-Wednesday-}{+Thursday+} only.',
    )
    expect(marked(wordDiff('Deploys run on Tuesday.', 'Deploys run on Tuesday; never Friday.'))).toBe(
      'Deploys run on Tuesday{+; never Friday+}.',
    )
  })

  it('keeps times, versions and paths whole', () => {
    expect(marked(wordDiff('Version v1.2 is the one on disk a/b today', 'Version v1.3 is the one on disk a/c today'))).toBe(
      'Version {-v1.2-}{+v1.3+} is the one on disk {-a/b-}{+a/c+} today',
    )
    expect(marked(wordDiff('The shop opens at 09:00 sharp every day', 'The shop opens at 10:00 sharp every day'))).toBe(
      'The shop opens at {-09:00-}{+10:00+} sharp every day',
    )
  })

  it('reads two changes around one shared word as one', () => {
    expect(marked(wordDiff('run Tuesday and Thursday only', 'run Monday to Thursday'))).toBe(
      'run {-Tuesday and Thursday only-}{+Monday to Thursday+}',
    )
  })

  it('finds words in scripts without spaces', () => {
    expect(marked(wordDiff('連絡先は佐藤さん', '連絡先は田中さん'))).toMatch(/^連絡先は\{-佐藤-\}\{\+田中\+\}さん$/)
  })

  it('is one change of the whole when the texts share nothing, and none when they are equal', () => {
    expect(marked(wordDiff('alpha beta', 'gamma delta'))).toBe('{-alpha beta-}{+gamma delta+}')
    expect(wordDiff('same text', 'same text')).toEqual([{ text: 'same text', kind: 'same' }])
    expect(wordDiff('', '')).toEqual([])
  })

  it('always gives back the later text, whatever the two are', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '.', '佐', '藤', 'é', '🙂', '/'), maxLength: 60 })
    fc.assert(
      fc.property(text, text, (before, after) => {
        const kept = wordDiff(before, after).filter((piece) => piece.kind !== 'gone')
        expect(kept.map((piece) => piece.text).join('')).toBe(after)
      }),
    )
  })

  it('marks 4,000 characters within a frame', () => {
    const words = Array.from({ length: 650 }, (_, at) => `word${(at * 7919) % 97}`)
    const before = words.join(' ')
    const after = words.map((word, at) => (at % 5 ? word : `new${at}`)).join(' ')
    const took = Array.from({ length: 20 }, () => {
      const start = performance.now()
      wordDiff(before, after)
      return performance.now() - start
    })
    // The fastest of twenty: the machine is shared, and its other work is not what is measured.
    expect(Math.min(...took)).toBeLessThan(16)
  })
})

describe('differingWords', () => {
  it('shows each side with its own words', () => {
    const here = 'Production deploys run Tuesday and Thursday only; never Friday.'
    const there = 'Production deploys run Monday to Thursday.'
    expect(marked(differingWords(here, there))).toBe('Production deploys run {+Tuesday and Thursday only; never Friday+}.')
    expect(marked(differingWords(there, here))).toBe('Production deploys run {+Monday to Thursday+}.')
  })
})
