import { describe, expect, it } from 'vitest'
import { normaliseValues } from '../../../shared/domain/judge/values.ts'
import { readLines } from './pairs.ts'

describe('normaliseValues', () => {
  it('spells every text of our pairs as the relation model was trained on it', () => {
    const texts = readLines<{ text: string; spelled: string }>('values.jsonl')
    expect(texts.length).toBeGreaterThan(1000)
    for (const { text, spelled } of texts) expect(normaliseValues(text)).toBe(spelled)
  })

  it.each([
    ['The office opens at 5pm.', 'the office opens at 17:00.'],
    ['The office opens at 17:00.', 'the office opens at 17:00.'],
    ['Retry after half a minute', 'retry after 30 seconds'],
    ['Backups run Mon-Thu', 'backups run monday tuesday wednesday thursday'],
    ['costs $1.5k a month', 'costs 1500 usd a month'],
    ['limit is 2 GB', 'limit is 2 gb'],
    ['twenty-five seats', '25 seats'],
    ['毎週 月曜日', 'every 7 days monday'],
  ])('spells %j as %j', (text, spelled) => {
    expect(normaliseValues(text)).toBe(spelled)
  })
})
