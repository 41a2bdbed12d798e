import { parseNumber, signed } from './number-words.ts'
import { NUMBER, read, rewrite, type Step } from './steps.ts'
import { alternatives, CURRENCIES, DAY, FREQUENCIES, MEASURES, SPAN_UNITS } from './tables.ts'

/** Readers of money, durations, frequencies, versions, measures and bare numbers. */

const AMOUNT_SCALES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, bn: 1e9 }

function money(symbol: string | undefined, digits: string | undefined, scale: string | undefined) {
  const amount = parseNumber(digits ?? '') * (AMOUNT_SCALES[scale ?? ''] ?? 1)
  return { kind: 'money', currency: CURRENCIES.get(symbol ?? '') ?? '', amount } as const
}

export const MONEY_STEPS: readonly Step[] = [
  read(new RegExp(`([$€£¥₩]) ?${NUMBER} ?(k|m|bn)?\\b`, 'g'), ([, symbol, digits, scale]) => money(symbol, digits, scale)),
  read(
    new RegExp(
      `${NUMBER} ?(k|m)? ?(us )?(usd|eur|gbp|chf|jpy|cny|krw|cad|aud|sek|pln|dollars?|euros?|pounds?(?! of)|yen|€|\\$|£|日元|円|元|원|ユーロ|ドル)(?![\\p{L}])`,
      'gu',
    ),
    ([, digits, scale, , symbol]) => money(symbol, digits, scale),
  ),
]

/** Spellings of a span that no pattern below reads. */
const SPAN_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:an|1) hour and a half\b|\b1\.5 hours\b/g, '90 minutes'],
  [/\b(?:an|1) hour and a quarter\b/g, '75 minutes'],
  [/\bhalf an? hour\b|\bhalf-hour\b/g, '30 minutes'],
  [/\bquarter of an hour\b/g, '15 minutes'],
  [/\bhalf a minute\b/g, '30 seconds'],
  [/\bhalf a year\b/g, '6 months'],
  [/\bhalf a day\b/g, '12 hours'],
  [/\bfortnight\b/g, '2 weeks'],
  [/\b(\d+) and a half (hours|days|weeks|months|years|minutes)\b/g, '$1.5 $2'],
  [/\ba (?:couple of|few) /g, ''],
  [/半時間|半小时|반 ?시간/g, '30分'],
  [
    /\b(within|for|in|after|under|over|about|than|takes?|lasts?|needs|every|roughly|of) an? (?=(?:second|minute|hour|day|week|month|year)\b)/g,
    '$1 1 ',
  ],
]

const PARTS_OF_DAY = new Set(['night', 'morning', 'evening'])

function intervals(step: string | undefined): number {
  if (!step) return 1
  if (/other|2th/.test(step)) return 2
  return /3th/.test(step) ? 3 : Number(step)
}

function timesOf(count: string | undefined): number {
  if (!count || /once|1/.test(count)) return 1
  return /twice/.test(count) ? 2 : parseInt(count, 10)
}

const SPAN_SPELLINGS = alternatives([...[...SPAN_UNITS.keys()].filter((unit) => unit.length > 1 || /[^a-z]/.test(unit)), 's', 'h', 'd'])

export const SPAN_STEPS: readonly Step[] = [
  ...SPAN_PHRASES.map(([pattern, spelling]) => rewrite(pattern, spelling)),
  read(
    /\b(once|twice|1 time|1th|\d+ times|1|2)? ?(?:every|each|per|an?|jeden|jede|cada|chaque|par|por|pro) (other |\d+ |2th |3th )?(business |working )?(second|minute|hour|night|day|morning|evening|week|month|quarter|year|sprint|tag|woche|monat|jahr|día|dia|semana|mes|año|jour|semaine|mois|an)s?\b/g,
    ([whole = '', count, step, , unit = '']) => {
      if (/^an? /.test(whole.trim())) return null
      const seconds = SPAN_UNITS.get(unit) ?? (PARTS_OF_DAY.has(unit) ? DAY : undefined)
      return seconds ? { kind: 'frequency', seconds: (seconds * intervals(step)) / timesOf(count) } : null
    },
  ),
  read(/\b(once|twice|\d+ times) an? (day|week|month|year|hour|quarter)\b/g, ([, count, unit = '']) => ({
    kind: 'frequency',
    seconds: (SPAN_UNITS.get(unit) ?? DAY) / (count === 'once' ? 1 : count === 'twice' ? 2 : parseInt(count ?? '1', 10)),
  })),
  read(new RegExp(`(?<![\\p{L}])(${[...FREQUENCIES.keys()].join('|')})(?:e[nrs]?)?(?![a-zäöü])`, 'gu'), ([, word = '']) => ({
    kind: 'frequency',
    seconds: FREQUENCIES.get(word) ?? DAY,
  })),
  read(
    new RegExp(`(?<![\\d.])${NUMBER}[- ]?(?:(business|working|calendar|full) )?(${SPAN_SPELLINGS})(?![\\p{Script=Latin}\\d])`, 'gu'),
    ([, digits = '', which, unit = '']) => ({
      kind: 'duration',
      seconds: parseNumber(digits) * (SPAN_UNITS.get(unit) ?? 1),
      working: which === 'business' || which === 'working',
    }),
  ),
]

export const VERSION_STEPS: readonly Step[] = [
  read(/\b(?:v|version |ver\. )(\d+(?:\.\d+)*(?:-[a-z0-9.]+)?)\b/g, ([, version = '']) => ({ kind: 'version', version })),
  read(/\b\d+\.\d+\.\d+(?:\.\d+)?\b/g, ([version = '']) => ({ kind: 'version', version })),
]

const MEASURE_SPELLINGS = alternatives(MEASURES.keys())

export const MEASURE_STEPS: readonly Step[] = [
  read(
    new RegExp(`([-+])?(?<![\\d.])${NUMBER}[- ]?(${MEASURE_SPELLINGS})(?![\\p{Script=Latin}\\d])`, 'gu'),
    ([, sign, digits = '', spelling = '']) => {
      const [unit, factor] = MEASURES.get(spelling) ?? ['', 1]
      return { kind: 'quantity', unit, amount: signed(parseNumber(digits) * factor, sign === '-' && /[c°]/.test(spelling)) }
    },
  ),
]

export const NUMBER_STEPS: readonly Step[] = [
  read(/(?<![\d.])(\d{1,3})(?:st|nd|rd|th)\b(?! -)/g, ([, digits]) => ({ kind: 'ordinal', amount: Number(digits) })),
  read(/\bmid\b|\bq([1-4])\b/g, ([, quarter]) => (quarter ? { kind: 'quarter', quarter: Number(quarter) } : null)),
  read(/(?<![\d.\p{L}-])(-)?(\d+(?:[,' ]\d{3})*(?:[.,]\d+)?|\.\d+)(?![\d]|\p{Script=Latin})/gu, ([, sign, digits = '']) => ({
    kind: 'number',
    amount: signed(parseNumber(digits), Boolean(sign)),
  })),
  read(/(?<=[\p{L}])(\d+(?:\.\d+)?)(?![\d])/gu, ([, digits]) => ({ kind: 'number', amount: Number(digits), glued: true })),
]
