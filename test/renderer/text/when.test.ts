import { describe, expect, it } from 'vitest'
import { count, fullDate, listDate, shortDate } from '../../../renderer/text/when.ts'

const now = new Date(2026, 8, 20, 12, 0, 0)
const before = (minutes: number): string => new Date(now.getTime() - minutes * 60_000).toISOString()

describe('dates', () => {
  it('are the age in a list, then the day', () => {
    expect(listDate(before(0.5), now, 'en-US')).toBe('now')
    expect(listDate(before(12), now, 'en-US')).toBe('12 min')
    expect(listDate(before(1), now, 'en-GB')).toBe('1 min')
    expect(listDate(before(3 * 60), now, 'en-GB')).toBe('3 h')
    expect(listDate(before(24 * 60), now, 'en-GB')).toBe('Yesterday')
    expect(listDate(new Date(2026, 8, 2).toISOString(), now, 'en-US')).toBe('2 Sep')
    expect(listDate(new Date(2025, 8, 2).toISOString(), now, 'en-GB')).toBe('2 Sep 2025')
  })

  it('follow the person’s language', () => {
    expect(listDate(before(24 * 60), now, 'de')).toBe('Gestern')
    expect(shortDate(new Date(2026, 8, 2).toISOString(), now, 'de')).toMatch(/2\. Sep/)
    expect(fullDate(new Date(2026, 8, 2).toISOString(), 'ar-EG')).toContain('٢')
  })

  it('never call the future an age', () => {
    expect(listDate(before(-60 * 24 * 3), now, 'en-GB')).toBe('23 Sep')
  })
})

describe('numbers', () => {
  it('have separators', () => {
    expect(count(12_408, 'en-US')).toBe('12,408')
    expect(count(12_408, 'de')).toBe('12.408')
  })
})
