import { namedDate, type NamedDate } from '../search/dates.ts'
import { relativeDate } from '../search/relative-dates.ts'

/** Since when a change that a text tells of in the past tense is so. Pure; English, as the rest of the calendar here. */

const PAST =
  /\b(?:moved|became|began|left|quit|bought|sold|got|went|took|gave|lost|won|born|died|wed|met|chose|grew|rose|fell|broke|built|made|\p{L}{3,}ed)\b/iu
const AHEAD =
  /\b(?:will|going to|plans?|planned|planning|wants?|wanted|hopes?|hoped|intends?|intended|would|next|scheduled|expected|supposed)\b/i

/** The first day of what is told; of a text that names no year, in that one. */
const firstDay = ({ year, month, day }: NamedDate, other: number): Date => new Date(Date.UTC(year ?? other, (month ?? 1) - 1, day ?? 1))

/** @param observed the day from which the text is told; what lies after it is no past */
export function toldSince(text: string, observed: Date): Date | null {
  if (!PAST.test(text) || AHEAD.test(text)) return null
  const named = namedDate(text)
  const told = named ?? relativeDate(text, observed)
  if (told === null) return null
  const at = firstDay(told, observed.getUTCFullYear())
  if (at <= observed) return at
  return named?.year === null ? firstDay(named, observed.getUTCFullYear() - 1) : null
}
