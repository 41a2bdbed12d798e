import { expect, test } from 'vitest'
import { idf, saturation } from '../../../shared/domain/search/bm25.ts'
import { dateFit, dateWords, namedDate } from '../../../shared/domain/search/dates.ts'
import { componentsOf, rankScore, scoreOf, type Features } from '../../../shared/domain/search/fusion.ts'
import { isNear } from '../../../shared/domain/search/near.ts'
import { why } from '../../../shared/domain/search/why.ts'

const plain: Features = { context: 0.5, words: 0.5, cosine: 0.5, coverage: 0.5, author: 0, date: 0, contested: false, chat: null }
const score = (change: Partial<Features>, vectors = true): number => scoreOf(componentsOf({ ...plain, ...change }, vectors))

test('a rare word weighs more, and every word weighs something', () => {
  expect(idf(1000, 1)).toBeGreaterThan(idf(1000, 100))
  expect(idf(1000, 1000)).toBeGreaterThan(0)
  expect(idf(0, 0)).toBeGreaterThan(0)
})

test('a word that is repeated counts ever less; a long text earns less by it', () => {
  expect(saturation(2, 1) - saturation(1, 1)).toBeGreaterThan(saturation(3, 1) - saturation(2, 1))
  expect(saturation(1, 2)).toBeLessThan(saturation(1, 1))
})

test('more words, more meaning, more of the query: each raises a score', () => {
  for (const better of [{ context: 0.6 }, { words: 0.6 }, { cosine: 0.6 }, { coverage: 0.6 }, { date: 1 }]) {
    expect(score(better)).toBeGreaterThan(score({}))
  }
  expect(score({ cosine: 0.9 }, false)).toBe(score({}, false))
})

test('a score on the scale stays in its order and within 0 and 1', () => {
  const scale = [-100, 0, 3, 6, 9, 20].map(rankScore)
  expect(scale).toEqual([...scale].sort((a, b) => a - b))
  for (const value of scale) expect(value >= 0 && value <= 1).toBe(true)
})

test('near is a matter of meaning or of words', () => {
  expect(isNear(0.4, 0)).toBe(true)
  expect(isNear(0, 0.5)).toBe(true)
  expect(isNear(0.39, 0.49)).toBe(false)
})

test('why a hit matched is said in words', () => {
  expect(
    why({
      matchedWords: ['deploy', 'friday'],
      matchedKeyWords: ['prod'],
      matchedEntities: ['ada'],
      matchedTags: ['deploy'],
      similarity: 0.7142,
    }),
  ).toEqual(['words: deploy, friday', 'meaning 0.71', 'key: prod', 'entity: ada', 'tag: deploy'])
  expect(why({ matchedWords: [], matchedKeyWords: [], matchedEntities: [], matchedTags: [], similarity: 0.1 })).toEqual([])
})

test.each([
  ['What did Ada do on 8 May 2023?', { year: 2023, month: 5, day: 8 }],
  ['the meeting of May 8th, 2023', { year: 2023, month: 5, day: 8 }],
  ['changes since 2024-02-29', { year: 2024, month: 2, day: 29 }],
  ['plans for June 2024', { year: 2024, month: 6, day: null }],
  ['what happened in September?', { year: null, month: 9, day: null }],
  ['hired in 2021', { year: 2021, month: null, day: null }],
  ['may I deploy 3 services', null],
])('the date in "%s" is read', (text, date) => {
  expect(namedDate(text)).toEqual(date)
})

test('a date fits the day best, then the week after it, then the month', () => {
  const named = { year: 2023, month: 5, day: 8 }
  const fit = (day: string): number => dateFit(named, Date.parse(day))
  expect([fit('2023-05-08'), fit('2023-05-12'), fit('2023-05-30'), fit('2023-06-01'), fit('2022-05-08')]).toEqual([1.5, 1, 0.5, 0.4, 0])
})

test('a document is found by the words of its date', () => {
  expect(dateWords(Date.UTC(2023, 4, 8))).toBe('2023 may 8')
  expect(dateWords(NaN)).toBe('')
})
