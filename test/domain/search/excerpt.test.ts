import fc from 'fast-check'
import { expect, test } from 'vitest'
import { queryTerms } from '../../../shared/domain/search/analyser.ts'
import { excerpt, EXCERPT_LENGTH, startOf } from '../../../shared/domain/search/excerpt.ts'

const filler = 'Nothing of interest stands in this sentence. '.repeat(40)

test('a short text is its own excerpt', () => {
  expect(excerpt('Deploys run on Tuesday.', queryTerms('deploy'))).toBe('Deploys run on Tuesday.')
})

test('the excerpt shows the place where most of the words stand', () => {
  const text = `${filler}A deploy is a deploy. ${filler}Deploys to prod never run on Friday. ${filler}`
  const shown = excerpt(text, queryTerms('do we deploy to prod on friday'))
  expect(shown).toContain('Deploys to prod never run on Friday.')
  expect(shown.startsWith('…')).toBe(true)
  expect(shown.endsWith('…')).toBe(true)
})

test('with nothing to show it is the start', () => {
  expect(excerpt(filler, new Set())).toMatch(/^Nothing of interest/)
})

test('a match in a text without spaces is shown', () => {
  const text = `${'これは関係のない文です。'.repeat(60)}本番のデプロイは金曜日にしない。${'これは関係のない文です。'.repeat(60)}`
  expect(excerpt(text, queryTerms('デプロイはいつですか'))).toContain('デプロイ')
})

test('it is never too long, never cuts a surrogate pair, and is a part of the text', () => {
  const piece = fc.constantFrom('🚀', '👩‍🚀', 'deploy ', 'friday', ' ', '金曜', 'x', '\ud83d')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 400 }), fc.integer({ min: 80, max: EXCERPT_LENGTH }), (pieces, max) => {
      const text = pieces.join('').replace(/\p{Cs}/gu, '')
      for (const shown of [excerpt(text, queryTerms('deploy friday'), max), startOf(text, max)]) {
        expect(shown.length).toBeLessThanOrEqual(max)
        expect(shown).not.toMatch(/\p{Cs}/u)
        expect(text).toContain(shown.replace(/^…/, '').replace(/…$/, ''))
      }
    }),
  )
})
