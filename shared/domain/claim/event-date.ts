import { MONTH_NAMES } from '../text/calendar-names.ts'

/** The date of the event that a claim tells of, where the text itself gives it plainly. */

export interface EventDate {
  /** Start of the day or month named, UTC. */
  readonly at: Date
  /** 0..1: how sure it is that the claim is about this date. */
  readonly confidence: number
}

const MONTH = `(${MONTH_NAMES.map((month) => (month.length > 4 ? `${month}|${month.slice(0, 3)}` : month)).join('|')}|sept)\\.?`
const YEAR = '((?:19|20)\\d\\d)'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?'

/** Readers of whole dates: year, month, day (0 = the month). */
const READERS: readonly { readonly pattern: RegExp; readonly parts: (match: RegExpExecArray) => readonly [string, string, string] }[] = [
  { pattern: /(?<![\d.-])((?:19|20)\d\d)-(\d\d)-(\d\d)(?![\d-])/g, parts: (match) => [match[1] ?? '', match[2] ?? '', match[3] ?? ''] },
  {
    pattern: new RegExp(`\\b${DAY}\\s+(?:of\\s+)?${MONTH},?\\s+${YEAR}\\b`, 'gi'),
    parts: (match) => [match[3] ?? '', match[2] ?? '', match[1] ?? ''],
  },
  {
    pattern: new RegExp(`\\b${MONTH}\\s+${DAY},?\\s+${YEAR}\\b`, 'gi'),
    parts: (match) => [match[3] ?? '', match[1] ?? '', match[2] ?? ''],
  },
  { pattern: /((?:19|20)\d\d)年(\d{1,2})月(\d{1,2})日/g, parts: (match) => [match[1] ?? '', match[2] ?? '', match[3] ?? ''] },
  { pattern: new RegExp(`\\b(?:in|during)\\s+${MONTH},?\\s+${YEAR}\\b`, 'gi'), parts: (match) => [match[2] ?? '', match[1] ?? '', '0'] },
]

/** A date after one of these is an end, a plan or a bound, not the day on which the thing told of happened. */
const BOUND =
  /\b(?:until|till|through|before|by|after|since|from|to|between|and|due|deadline|expires?|expiring|ends?|ending|valid|next|every|as of)\s+(?:on\s+|in\s+|the\s+)?$/i

const SCANNED = 4000
const SURE_OF_DAY = 0.9
const SURE_OF_MONTH = 0.6

function monthOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  return MONTH_NAMES.findIndex((month) => month.slice(0, 3) === text.slice(0, 3).toLowerCase()) + 1
}

function dateOf(year: number, month: number, day: number): Date | null {
  const at = new Date(Date.UTC(year, month - 1, Math.max(1, day)))
  return month >= 1 && month <= 12 && at.getUTCMonth() === month - 1 && day <= 31 ? at : null
}

/**
 * The one past day or month that a text names as the time of what it tells, or null: none, several, a bound ("until
 * 2025-03-01") or one still ahead of `now`.
 */
export function eventDate(text: string, now: Date): EventDate | null {
  const scanned = text.slice(0, SCANNED)
  const found = new Map<number, EventDate>()
  let bound = false
  for (const { pattern, parts } of READERS) {
    for (const match of scanned.matchAll(pattern)) {
      const [year, month, day] = parts(match)
      const at = dateOf(Number(year), monthOf(month), Number(day))
      if (at === null) continue
      bound ||= BOUND.test(scanned.slice(Math.max(0, match.index - 24), match.index))
      found.set(at.getTime(), { at, confidence: day === '0' ? SURE_OF_MONTH : SURE_OF_DAY })
    }
  }
  const [only] = found.values()
  return only && found.size === 1 && !bound && only.at <= now ? only : null
}
