import { namedDate } from '../search/dates.ts'

/** Since when a change that a text tells of in the past tense is so. Pure; English, as the rest of the calendar here. */

const PAST =
  /\b(?:moved|became|began|left|quit|bought|sold|got|went|took|gave|lost|won|born|died|wed|met|chose|grew|rose|fell|broke|built|made|\p{L}{3,}ed)\b/iu
const AHEAD =
  /\b(?:will|going to|plans?|planned|planning|wants?|wanted|hopes?|hoped|intends?|intended|would|next|scheduled|expected|supposed)\b/i

const DAY_MS = 86_400_000
const COUNTED = /\b(\d{1,3}|an?|one|two|three|four|five|six)\s+(day|week|month|year)s?\s+ago\b/i
const NUMBERS: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6 }
const LAST = /\blast\s+(week|month|year)\b/i

const startOfDay = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()))

function back(from: Date, count: number, unit: string): Date {
  const day = startOfDay(from)
  if (unit === 'day' || unit === 'week') return new Date(day.getTime() - count * DAY_MS * (unit === 'week' ? 7 : 1))
  const months = count * (unit === 'year' ? 12 : 1)
  // The first of the month: no text that counts in months means a day.
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - months, 1))
}

function relative(text: string, observed: Date): Date | null {
  if (/\byesterday\b/i.test(text)) return back(observed, 1, 'day')
  if (/\b(?:today|this morning|tonight)\b/i.test(text)) return startOfDay(observed)
  const counted = COUNTED.exec(text)
  if (counted) {
    const [, count = '', unit = ''] = counted
    return back(observed, NUMBERS[count.toLowerCase()] ?? Number(count), unit.toLowerCase())
  }
  const last = LAST.exec(text)
  return last ? back(observed, 1, (last[1] ?? '').toLowerCase()) : null
}

/** @param observed the day from which the text is told; what lies after it is no past */
export function toldSince(text: string, observed: Date): Date | null {
  if (!PAST.test(text) || AHEAD.test(text)) return null
  const named = namedDate(text)
  if (named === null) return relative(text, observed)
  const { month, day } = named
  const thisYear = observed.getUTCFullYear()
  const of = (year: number): Date => new Date(Date.UTC(year, (month ?? 1) - 1, day ?? 1))
  const at = of(named.year ?? thisYear)
  if (at <= observed) return at
  return named.year === null ? of(thisYear - 1) : null
}
