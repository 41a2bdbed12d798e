import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { valueAdvisories } from '../../../shared/domain/advisories.ts'
import { analyse } from '../../../shared/domain/judge/analyse.ts'
import { differentEnvironments } from '../../../shared/domain/judge/environments.ts'
import { judge, needsRelation } from '../../../shared/domain/judge/judge.ts'
import { wordOverlap } from '../../../shared/domain/judge/overlap.ts'
import { normaliseValues } from '../../../shared/domain/judge/values.ts'
import { detectSensitivity } from '../../../shared/domain/sensitivity/detect.ts'
import { canonicalText } from '../../../shared/domain/text/canonical.ts'

const FINDINGS = ['same', 'restates', 'refines', 'contradicts', 'clear']
const relation = { duplicate: 0.25, refines: 0.25, conflict: 0.25, clear: 0.25 }

function judgeAll(keyA: string, textA: string, keyB: string, textB: string): void {
  const [a, b] = [analyse({ key: keyA, text: textA }), analyse({ key: keyB, text: textB })]
  const similarity = wordOverlap(a, b)
  expect(similarity).toBeGreaterThanOrEqual(0)
  expect(similarity).toBeLessThanOrEqual(1)
  for (const given of [null, relation]) {
    const judgement = judge(a, b, { similarity, relation: given })
    expect(FINDINGS).toContain(judgement.finding)
    expect(judgement.confidence).toBeGreaterThan(0)
    expect(judgement.confidence).toBeLessThanOrEqual(1)
    expect(judge(a, b, { similarity, relation: given })).toEqual(judgement)
  }
  expect(typeof needsRelation(a, b, similarity)).toBe('boolean')
  expect(typeof differentEnvironments(keyA, keyB)).toBe('boolean')
  expect(JSON.parse(JSON.stringify(a))).toEqual(a)
}

/** Any UTF-16 at all, lone surrogates and control characters among it. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }).map((units) => String.fromCharCode(...units)),
)

/** Words that the rules know, in any order. */
const claimText = fc
  .array(
    fc.constantFrom(
      'deploys',
      'run',
      'never',
      'not',
      'only',
      'Monday',
      'to',
      'Thursday',
      '17:00',
      '5pm',
      '30',
      'seconds',
      'Ana',
      'manages',
      'Bo',
      "Ana's",
      'sister',
      'is',
      'production',
      'staging',
      'without',
      'requires',
      'all',
      'v1.2',
      '€5',
      'and',
      ',',
      '.',
      'half',
      'an',
      'hour',
      '三月',
      '本番',
      'ない',
      '월요일',
    ),
    { maxLength: 40 },
  )
  .map((words) => words.join(' '))

/** Shapes that make a careless pattern backtrack. */
const UNITS = [
  'a',
  'a ',
  '1',
  '1 ',
  '.',
  '..a',
  'monday, and ',
  'monday, and, ',
  'a_',
  'a_a_é',
  '/',
  'a/',
  '--a-',
  '=',
  '"',
  "'",
  '(',
  'one hundred and ',
  'twenty-',
  '1,000',
  '10:00-',
  'mon-',
  'moved from ',
  'password is ',
  'token=',
  '4 4',
  '+1 ',
  'a@',
  '@a.',
  'eyJ',
  'ab:c',
  '://a:',
  '*a ',
  '**a',
  '日',
  '１',
  'ﷺ',
  '\ud800',
  '\u202e',
  "the A's sister ",
  'not ',
  'DE89 ',
  'pin for ',
  'call ',
  '1.1.',
  'every 2 ',
  'jan ',
  ', a',
  '00 1',
  'a.b@',
]

describe('on any text at all', () => {
  it('nothing throws, and the same question has the same answer', () => {
    fc.assert(fc.property(anyText, anyText, anyText, anyText, judgeAll), { numRuns: 150 })
    fc.assert(fc.property(fc.constant('a/prod'), claimText, fc.constant('b'), claimText, judgeAll), { numRuns: 300 })
  })

  it('a claim is the same as itself, and canonical equality goes both ways', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const a = analyse({ key: 'x', text })
        expect(judge(a, analyse({ key: 'y', text }), { similarity: 1, relation: null }).finding).toBe('same')
        expect(canonicalText(canonicalText(text))).toBe(canonicalText(canonicalText(canonicalText(text))))
      }),
      { numRuns: 200 },
    )
  })

  it('sensitivity, advisories and value spelling answer for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(['', 'medium', 'high']).toContain(detectSensitivity(text))
        expect(Array.isArray(valueAdvisories(text, JSON.stringify(text), 30_000))).toBe(true)
        expect(typeof normaliseValues(text)).toBe('string')
      }),
      { numRuns: 300 },
    )
  })

  it('empty texts are judged', () => {
    judgeAll('', '', '', '')
    judgeAll('', '', '', 'x')
    judgeAll('', '   ', '', '...')
  })

  it.each(UNITS)('40,000 characters of %j are read in bounded time', (unit) => {
    const text = unit.repeat(Math.ceil(40_000 / unit.length))
    const started = performance.now()
    judgeAll(text, text, text, `b ${text} c`)
    judgeAll('', `${unit.repeat(Math.ceil(1990 / unit.length)).slice(0, 1990)}é`, '', `${text}1`)
    detectSensitivity(`${text}x`)
    normaliseValues(`${text}é`)
    valueAdvisories(text, text, 30_000)
    // One exponential or cubic pattern takes minutes; what is here takes under half a second on a slow machine.
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
