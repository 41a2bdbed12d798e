import { expect, test } from 'vitest'
import { slug } from '../../../shared/domain/text/slug.ts'

const hash = (): string => 'abcdef0123456789'

test.each([
  ['Deploy window (prod)', 'deploy-window-prod'],
  ['  --Hello,  World!-- ', 'hello-world'],
  ['Crème Brûlée', 'creme-brulee'],
  ['Straße', 'strasse'],
  ['ΟΔΟΣ οδός', 'οδοσ-οδοσ'],
  ['ﬁne', 'fine'],
  ['Ｆｕｌｌ　Ｗｉｄｔｈ', 'full-width'],
  ['ｶﾞｽ がす', 'カス-かす'],
  ['किताब', 'किताब'],
  ['東京 2026', '東京-2026'],
  ['서울', '서울'],
  ['kırık', 'kırık'],
])('the slug of %s', (text, made) => {
  expect(slug(text, hash)).toBe(made)
  expect(slug(made, hash)).toBe(made)
})

test('a slug that was cut, or that nothing is left of, is told from others by a hash', () => {
  expect(slug('a'.repeat(60), hash)).toBe('a'.repeat(60))
  expect(slug('É'.repeat(61), hash)).toBe(`${'e'.repeat(60)}-abcdef01`)
  expect(slug('!?', hash)).toBe('-abcdef01')
})
