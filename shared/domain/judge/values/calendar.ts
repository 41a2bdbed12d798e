import { read, rewrite, type Step } from './steps.ts'
import { alternatives, MONTHS, WEEKDAYS } from './tables.ts'
import type { Value } from './value.ts'

/** Readers of dates, clock times and sets of weekdays. */

const MONTH_NAMES = alternatives(MONTHS.keys())

function date(parts: { year?: string; month?: string | number; day?: string }): Value {
  const number = (part: string | number | undefined) => (part === undefined || part === '' ? undefined : Number(part))
  const [year, month, day] = [number(parts.year), number(parts.month), number(parts.day)]
  return {
    kind: 'date',
    ...(year ? { year } : {}),
    ...(month ? { month } : {}),
    ...(day ? { day } : {}),
  }
}

const monthOf = (name: string | undefined) => MONTHS.get(name ?? '')
const century = (year: string | undefined) => (Number(year) < 100 ? String(2000 + Number(year)) : year)

export const DATE_STEPS: readonly Step[] = [
  read(/(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g, ([, year, month, day]) => date({ year, month, day })),
  read(
    /(\d{4})年(?:(\d{1,2})月)?(?:(\d{1,2})日)?|(\d{4})년(?: ?(\d{1,2})월)?(?: ?(\d{1,2})일)?/g,
    ([, year, month, day, year2, month2, day2]) => date({ year: year ?? year2, month: month ?? month2, day: day ?? day2 }),
  ),
  read(/(\d{1,2}) ?[月월] ?(?:(\d{1,2}) ?[日일])?/g, ([, month, day]) => date({ month, day })),
  read(
    new RegExp(`(?<!\\d)(\\d{1,2})(?:st|nd|rd|th|er|\\.|º)?(?: of| de)? (${MONTH_NAMES})\\b\\.?(?:,? (?:de )?(\\d{4}))?`, 'gu'),
    ([, day, month, year]) => date({ year, month: monthOf(month), day }),
  ),
  read(new RegExp(`(?<![\\p{L}])(${MONTH_NAMES})\\.? (\\d{1,2})(?:st|nd|rd|th)?(?!\\d|:)(?:,? (\\d{4}))?`, 'gu'), ([, month, day, year]) =>
    date({ year, month: monthOf(month), day }),
  ),
  read(new RegExp(`(?<![\\p{L}])(${MONTH_NAMES})(?: de| of)? (\\d{4})(?!\\d)`, 'gu'), ([, month, year]) =>
    date({ year, month: monthOf(month) }),
  ),
  read(/(?<!\d)(\d{1,2})[./](\d{1,2})[./](\d{4}|\d{2})(?!\d)/g, ([, day, month, year]) => date({ year: century(year), month, day })),
]

/** Years and months by themselves, read last: most of what looks like one belongs to something longer. */
export const BARE_DATE_STEPS: readonly Step[] = [
  read(/(?<![\d.,\p{L}-])((?:19|20)\d\d)(?![\d.,]\d|\p{L}|\d)/gu, ([, year]) => date({ year })),
  read(
    new RegExp(
      `(?<![\\p{L}])(?:by |in |since |until |from |before |after |of |en |im |bis |seit |vor |nach |de |till )(${MONTH_NAMES})(?![\\p{L}])`,
      'gu',
    ),
    ([, month = '']) => (month.length < 3 || month === 'mar' ? null : date({ month: monthOf(month) })),
  ),
  read(
    /(?<![\p{L}])(january|february|april|june|july|august|september|october|november|december|januar|februar|märz|dezember|oktober)(?![\p{L}])/gu,
    ([, month]) => date({ month: monthOf(month) }),
  ),
]

/** Minutes of the day. `half` is am or pm, or its like in another language. */
function minutes(hour: string | undefined, minute?: string, half?: string): number {
  let h = Number(hour)
  if (half && /^(p|午後|下午|晚上|오후)/.test(half) && h < 12) h += 12
  if (half && /^(a|午前|上午|早上|오전)/.test(half) && h === 12) h = 0
  return h * 60 + (Number(minute) || 0)
}

const time = (hour: string | undefined, minute?: string, half?: string): Value => ({ kind: 'time', minutes: minutes(hour, minute, half) })

const AFTERNOON_WORDS = /^(?:noon|midday|mittag|midi|mediodía)$/

export const TIME_STEPS: readonly Step[] = [
  rewrite(/\bhalf past (\d{1,2})/g, '$1:30'),
  rewrite(/\bquarter past (\d{1,2})/g, '$1:15'),
  rewrite(/\bquarter to (\d{1,2})/g, (_, hour) => `${(Number(hour) + 11) % 12 || 12}:45`),
  rewrite(
    /(\d{1,2}(?::\d\d)?)(?: o'clock)? (?:in the|at) (afternoon|evening|night|morning)/g,
    (_, clock, part) => clock + (part === 'morning' ? 'am' : 'pm'),
  ),
  rewrite(
    /(\d{1,2}(?::\d\d)?)(?: horas)? de la (madrugada|mañana|tarde|noche)/g,
    (_, clock, part) => clock + (/mad|mañ/.test(part) ? 'am' : 'pm'),
  ),
  rewrite(/(\d{1,2})(?: uhr| heures?|h) (?:nachmittags|abends|du soir|de l'après-midi)/g, '$1pm'),
  rewrite(/(\d{1,2})(:\d\d)?(?: o'clock)? ?- ?(\d{1,2})(:\d\d)?(am|pm)/g, (_, from, fromMinute, to, toMinute, half) => {
    const firstHalf = Number(from) > Number(to) ? (half === 'pm' ? 'am' : 'pm') : half
    return `${from}${fromMinute ?? ''}${firstHalf}-${to}${toMinute ?? ''}${half}`
  }),
  read(
    /(?<![\d.])(\d{1,2})[:.](\d\d) ?(am|pm)?(?: uhr| h\b)? ?(?:-|to|until|till|and|bis|und|a|à|y|et|~|から)\s?(\d{1,2})[:.](\d\d) ?(am|pm)?(?: uhr)?/g,
    ([whole = '', hour, minute, half, hour2, minute2, half2]) => {
      if (Number(hour) >= 25 || Number(hour2) >= 25 || !/[:]|uhr|[ap]m/.test(whole)) return null
      const firstHalf = half ?? (Number(hour) > Number(hour2) ? '' : half2)
      return { kind: 'time', minutes: minutes(hour, minute, firstHalf), until: minutes(hour2, minute2, half2) }
    },
  ),
  read(/(?<![\d:.])(\d{1,2}) ?(?:-|bis|to|until|and)\s?(\d{1,2}) ?(?:uhr|h\b)/g, ([, from, to]) => ({
    kind: 'time',
    minutes: minutes(from),
    until: minutes(to),
  })),
  read(/(?<![\d.])(\d{1,2}) ?(am|pm)? ?(?:-|to|until|till|and) ?(\d{1,2}) ?(am|pm)\b/g, ([, from, half, to, half2]) => {
    const firstHalf = half ?? (Number(from) > Number(to) ? (half2 === 'pm' ? 'am' : 'pm') : half2)
    return { kind: 'time', minutes: minutes(from, '0', firstHalf), until: minutes(to, '0', half2) }
  }),
  read(/(午前|午後|上午|下午|早上|晚上)(\d{1,2})(?:[時时点點:](\d{1,2})?分?(半)?)/g, ([, part, hour, minute, half]) =>
    time(hour, half ? '30' : minute, part),
  ),
  read(/(오전|오후) ?(\d{1,2})시(?: ?(\d{1,2})분)?( 반)?/g, ([, part, hour, minute, half]) => time(hour, half ? '30' : minute, part)),
  read(/(?<![\d.:])(\d{1,2}):(\d\d)(?::\d\d)? ?(am|pm)?(?: uhr| h\b)?/g, ([, hour, minute, half]) =>
    Number(hour) < 25 && Number(minute) < 60 ? time(hour, minute, half) : null,
  ),
  read(/(?<![\d.,])(\d{1,2}) ?(am|pm)\b/g, ([, hour, half]) => time(hour, '0', half)),
  read(/(?<![\d.,])(\d{1,2}) ?(?:h|uhr) ?(\d\d)\b/g, ([, hour, minute]) => time(hour, minute)),
  read(/(?<![\d.,])(\d{1,2}) ?(?:uhr|o'clock)\b/g, ([, hour]) => time(hour)),
  read(/(?<=à |dès |a las )(\d{1,2}) ?(?:h|heures)?\b/g, ([, hour]) => time(hour)),
  read(/(?<!\d)(\d{1,2})[時时点點](?!間|间)(\d{1,2})?分?(半)?/g, ([, hour, minute, half]) => time(hour, half ? '30' : minute)),
  read(/(?<!\d)(\d{1,2})시(?!간)(?: ?(\d{1,2})분)?/g, ([, hour, minute]) => time(hour, minute)),
  read(/\b(noon|midday|mittag|midi|mediodía|midnight|mitternacht|minuit|medianoche)\b/g, ([word = '']) => ({
    kind: 'time',
    minutes: AFTERNOON_WORDS.test(word) ? 720 : 0,
  })),
]

const DAY_NAMES = [
  alternatives([...WEEKDAYS.keys()].filter((name) => !['mo', 'fr', 'sat', 'sun', 'mon', 'wed'].includes(name))),
  'mon|wed|sat|sun|mo(?=[-–. ]{1,3}(?:fr|do|mi|di|so|sa))|(?<=[-–]) ?fr',
].join('|')
const ONE_DAY = `(?:${DAY_NAMES})`
export const WORKING_DAYS = 0b0011111
export const WEEKEND = 0b1100000

const dayIndex = (name: string | undefined) => WEEKDAYS.get((name ?? '').trim().replace(/\.$/, ''))

/** The days from one to another, over the week's end where need be, as a bit set. */
function dayRange(from: number, to: number): number {
  let days = 0
  for (let i = from; ; i = (i + 1) % 7) {
    days |= 1 << i
    if (i === to) return days
  }
}

/** From–to, or one and another, of a script that names days by one character each. */
function daysOf(index: (name: string) => number, from = '', to?: string, and?: string): Value {
  const days = to ? dayRange(index(from), index(to)) : (1 << index(from)) | (and ? 1 << index(and) : 0)
  return { kind: 'weekdays', days }
}

const chineseDay = (name: string) => (name === '天' ? 6 : '一二三四五六日'.indexOf(name))

export const WEEKDAY_STEPS: readonly Step[] = [
  read(
    new RegExp(`(?<![\\p{L}])(${ONE_DAY})\\.?(?: ?(?:-|–|to|through|thru|until|till|bis|a|à|al|au) ?)(${ONE_DAY})(?![\\p{L}])`, 'gu'),
    ([, from, to]) => {
      const [a, b] = [dayIndex(from), dayIndex(to)]
      return a === undefined || b === undefined ? null : { kind: 'weekdays', days: dayRange(a, b) }
    },
  ),
  read(
    new RegExp(`(?<![\\p{L}])${ONE_DAY}(?:(?:,| and| und| y| et| &|\\/| or)+ ?(?:on |every |los |le |el )?${ONE_DAY})*(?![\\p{L}])`, 'gu'),
    ([whole = '']) => {
      let days = 0
      for (const word of whole.match(/[\p{L}-]+/gu) ?? []) {
        const day = WEEKDAYS.get(word)
        if (day !== undefined) days |= 1 << day
      }
      return days ? { kind: 'weekdays', days } : null
    },
  ),
  read(/([月火水木金土日])曜日?(?:(?:から|~|-|〜)([月火水木金土日])曜日?)?(?:(?:と|、|・)([月火水木金土日])曜日?)?/g, ([, from, to, and]) =>
    daysOf((name) => '月火水木金土日'.indexOf(name), from, to, and),
  ),
  read(
    /(?:周|星期|礼拜|週)([一二三四五六日天])(?:(?:至|到|-)(?:周|星期|礼拜|週)?([一二三四五六日天]))?(?:(?:和|、|及)(?:周|星期|週)([一二三四五六日天]))?/g,
    ([, from, to, and]) => daysOf(chineseDay, from, to, and),
  ),
  read(/([월화수목금토일])요일(?:(?:부터|~|-) ?([월화수목금토일])요일)?(?:(?:과|와|,) ?([월화수목금토일])요일)?/g, ([, from, to, and]) =>
    daysOf((name) => '월화수목금토일'.indexOf(name), from, to, and),
  ),
  read(/\b(on |every )?(weekdays?|workdays?|werktags?|平日|工作日)\b|평일/g, () => ({ kind: 'weekdays', days: WORKING_DAYS })),
  read(/\b(at |on )?(the )?(weekends?|wochenende)\b|주말|週末|周末/g, () => ({ kind: 'weekdays', days: WEEKEND })),
]
