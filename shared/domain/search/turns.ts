import { DAY_NAMES, MONTH_NAMES } from '../text/calendar-names.ts'

/** What a turn of a talk shows of itself, and a question of what it asks for; in English. */

const SELF = /\b(?:I(?:'m|'ve|'d|'ll)?|[Mm]y|[Mm]e|[Mm]ine|[Ww]e(?:'re|'ve|'d|'ll)?|[Oo]ur|[Uu]s)\b/
/** "May" and "march" are words of their own more often than months. */
const MONTHS = MONTH_NAMES.filter((month) => month !== 'may' && month !== 'march')
const WHEN = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|ago|last|next|this (?:week|month|year|weekend|morning)|weekend|recently|since|just|weeks?|months?|years?|birthday|summer|winter|spring|fall|autumn|(?:19|20)\\d\\d|${[...DAY_NAMES, ...MONTHS].join('|')})\\b`,
  'i',
)
const ASKS_WHEN = /^\s*when\b|\bhow (?:long|often|old)\b|\bwhat (?:year|month|day|date|time)\b|\bsince when\b/i

/** Whether somebody tells of themselves: what a question about them is answered by, unlike "Wow, that's great!". */
export function tellsOfSelf(text: string): boolean {
  return SELF.test(text)
}

/** Whether a text has words for a time. */
export function tellsWhen(text: string): boolean {
  return WHEN.test(text)
}

/** Whether a question is answered by a time. */
export function asksWhen(question: string): boolean {
  return ASKS_WHEN.test(question)
}
