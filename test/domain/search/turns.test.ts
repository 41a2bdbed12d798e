import { expect, test } from 'vitest'
import { analyseText } from '../../../shared/domain/search/analyser.ts'
import { asksWhen, tellsOfSelf, tellsWhen } from '../../../shared/domain/search/turns.ts'

const termsOf = (text: string): string[] => [...analyseText(text).terms.keys()]

test.each([
  ['She went to the lake', 'go to the lake'],
  ['He bought the old mice', 'buys an old mouse'],
  ['the children ran', 'a child runs'],
  ['Ada left and wrote', 'Ada leaving, writing'],
])('"%s" has the words of "%s", which no stemmer brings together', (one, other) => {
  expect(termsOf(one).toSorted()).toEqual(termsOf(other).toSorted())
})

test('forms that are words of their own stay what they are', () => {
  expect(termsOf('a rose on the ground, 64 bit')).toEqual(['rose', 'ground', '64', 'bit'])
})

test.each([
  ['I went there', true],
  ["We're moving out", true],
  ['Bring it to our place', true],
  ['Wow, that is great!', false],
  ['Is it in use?', false],
])('"%s" tells of the speaker: %s', (text, tells) => {
  expect(tellsOfSelf(text)).toBe(tells)
})

test.each([
  ['We met last week', true],
  ['It was in 2019', true],
  ['Two years ago', true],
  ['You may march on', false],
  ['The rate is 1,999 a month of it', true],
  ['Nothing of the kind', false],
])('"%s" has words for a time: %s', (text, tells) => {
  expect(tellsWhen(text)).toBe(tells)
})

test.each([
  ['When did Ada move?', true],
  ['how long have they known each other', true],
  ['What year was it?', true],
  ['What does Ada do when it rains?', false],
  ['', false],
])('"%s" is answered by a time: %s', (question, asks) => {
  expect(asksWhen(question)).toBe(asks)
})
