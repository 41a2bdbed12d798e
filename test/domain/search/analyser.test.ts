import fc from 'fast-check'
import { expect, test } from 'vitest'
import { analyseQuery, analyseText, queryTerms } from '../../../shared/domain/search/analyser.ts'
import { fold } from '../../../shared/domain/search/pieces.ts'

const termsOf = (text: string): string[] => [...analyseText(text).terms.keys()]

test('English words are stemmed, lower-cased and freed of stop words', () => {
  expect(termsOf("The deployments are running on Caroline's server")).toEqual(['deploy', 'run', 'carolin', 'server'])
})

test('one word in several forms counts as often as it occurs', () => {
  expect(analyseText('Deploys deploy deploying').terms.get('deploi')).toBe(3)
})

test.each([
  ['LOOM_HOME', ['loom', 'home']],
  ['getUserById', ['get', 'user', 'id']],
  ['ERR_CONN_42', ['err', 'conn', '42']],
  ['HTTPServer', ['http', 'server']],
  ['deploy/window/prod', ['deploi', 'window', 'prod']],
  ['v1.2.3', ['2', '3']],
  ['python3', ['python']],
])('the identifier %s is kept whole and split', (identifier, parts) => {
  const [word] = analyseQuery(identifier)
  const terms = termsOf(`we use ${identifier} here`)
  expect(word?.whole).not.toBeNull()
  expect(terms).toContain(word?.whole)
  for (const part of parts) expect(terms).toContain(part)
})

test('an identifier is one name in every spelling', () => {
  const wholes = ['getUserById', 'get_user_by_id', 'get-user-by-id', 'GET_USER_BY_ID'].map((name) => analyseQuery(name)[0]?.whole)
  expect(new Set(wholes).size).toBe(1)
  expect(termsOf('e-mail')).toContain('email')
})

test('versions differ in their digits, with or without v', () => {
  const whole = (text: string): unknown => analyseQuery(text)[0]?.whole
  expect(whole('v1.2.3')).toBe(whole('1.2.3'))
  expect(whole('v1.2.3')).not.toBe(whole('v12.3'))
})

test('width, case and accents are one spelling; marks that are letters stay', () => {
  expect(fold('ＬＯＯＭ')).toBe('loom')
  expect(fold('Café Straße Ёлка')).toBe('cafe strasse елка')
  expect(fold('ｶﾞ')).toBe('ガ')
  expect(fold('かぎ')).not.toBe(fold('かき'))
  expect(fold('สวัสดี')).toBe('สวัสดี')
})

test.each([
  ['Chinese', '生产环境只在周二部署', '部署'],
  ['Japanese', '本番のデプロイは金曜日にしない', 'デプロイ'],
  ['one character', '金曜日', '金'],
  ['Korean', '배포는 금요일에 하지 않는다', '배포'],
  ['Russian, inflected', 'развёртывание только по пятницам', 'пятница'],
  ['Thai', 'เราปรับใช้ในวันศุกร์', 'วันศุกร์'],
  ['Arabic', 'النشر يوم الجمعة فقط', 'الجمعة'],
])('%s: a word of the text is found in it', (_, text, word) => {
  const terms = analyseText(text).terms
  const [query] = analyseQuery(word)
  const parts = query?.parts.map((part) => part.term) ?? []
  const found =
    (query?.whole !== null && terms.has(query?.whole ?? '')) || parts.filter((part) => terms.has(part)).length >= parts.length / 2
  expect(found).toBe(true)
})

test('question words of Japanese and Chinese weigh little beside what is asked for', () => {
  for (const [question, word] of [
    ['デプロイはいつですか', 'デプロイ'],
    ['什么时候部署生产环境', '部署生产环境'],
  ] as const) {
    const heavy = analyseQuery(question).filter((part) => part.parts.some(({ weight }) => weight === 1))
    expect(heavy.map(({ surface }) => surface)).toEqual([word])
  }
})

test('a query of stop words alone has no words; its terms show nothing', () => {
  expect(analyseQuery('who is it')).toEqual([])
  expect(queryTerms('when do we deploy')).toEqual(new Set(['deploi']))
})

test('every word of a text is a word of the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const { terms } = analyseText(text)
      for (const { whole, parts } of analyseQuery(text)) {
        if (whole !== null) expect(terms.has(whole)).toBe(true)
        else for (const part of parts.filter(({ weight }) => weight === 1)) expect(terms.has(part.term)).toBe(true)
      }
    }),
  )
})

test('any text is analysed without error, and long tokens are cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const [term, count] of analyseText(text).terms) {
        expect(term).not.toBe('')
        expect(count).toBeGreaterThan(0)
      }
    }),
  )
  expect(Math.max(...termsOf('x'.repeat(100_000)).map(({ length }) => length))).toBeLessThanOrEqual(64)
})
