import { alternatives, CHINESE_DIGITS, ENGLISH_NUMBERS, ENGLISH_ORDINALS, FOREIGN_NUMBERS, KOREAN_NUMBERS } from './tables.ts'

/** Number words of a lower-case text as digits: "twenty-five" is "25", "third" is "3th", "二十" is "20" before a unit. */

const CARDINAL = `(?:${[...ENGLISH_NUMBERS.keys()].join('|')})`
const ORDINALS = [...ENGLISH_ORDINALS.keys()]
const SPAN_WORDS =
  'seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|quarters?|years?|times|percent|thousand|hundred|million|billion'

const TENS_ORDINAL = new RegExp(`\\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ](${ORDINALS.slice(0, 9).join('|')})\\b`, 'g')
const ORDINAL = new RegExp(`\\b(${ORDINALS.join('|')})\\b`, 'g')
const NUMERAL = new RegExp(
  `\\b${CARDINAL}(?:[- ](?:${CARDINAL}|hundred|thousand|million|billion|and(?= ${CARDINAL})))*\\b` +
    '|\\b(?:a )?(?:hundred|thousand|million|billion)(?: thousand)?\\b',
  'g',
)
const EACH_CARDINAL = new RegExp(CARDINAL, 'g')
const ONE_OF_UNIT = new RegExp(`\\bone (?=(?:business |working |calendar |full )?(?:${SPAN_WORDS}|gb|mb|tb|kg|km)\\b)`, 'g')
const PRONOUN_ONE = /\b(no|any|every|some)one\b/g
const FOREIGN = new RegExp(`(?<![\\p{L}\\d])(${[...FOREIGN_NUMBERS.keys()].join('|')})(?![\\p{L}\\d])`, 'gu')
const DIGITS_AND_SCALE = /(\d)[ ](thousand|million|billion)\b/g
const ZEROS: Readonly<Record<string, string>> = { thousand: '000', million: '000000', billion: '000000000' }
const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 }

function cardinal(word: string): number | undefined {
  return ENGLISH_NUMBERS.get(word)
}

/** Each word by itself; "one" stays, being a pronoun as often as a number. */
function wordByWord(run: string): string {
  return run.replace(EACH_CARDINAL, (word) => (word === 'one' ? word : String(cardinal(word))))
}

/** "two three" names two numbers, "twenty three" one. */
function isSequence(words: readonly string[]): boolean {
  return words.some((word, i) => {
    const value = cardinal(word)
    const before = i > 0 ? cardinal(words[i - 1] as string) : undefined
    return value !== undefined && before !== undefined && !(before >= 20 && value < 10)
  })
}

function sumOf(words: readonly string[]): number {
  let total = 0
  let current = 0
  for (const word of words) {
    const scale = SCALES[word]
    if (word === 'hundred') current = (current || 1) * 100
    else if (scale !== undefined) {
      total += (current || 1) * scale
      current = 0
    } else current += cardinal(word) ?? 0
  }
  return total + current
}

function numeral(run: string): string {
  if (run === 'one') return run
  if (/\band\b/.test(run) && !/hundred|thousand/.test(run)) return wordByWord(run)
  const words = run
    .replace(/^a /, '')
    .split(/[- ]/)
    .filter((word) => word !== 'and')
  return isSequence(words) ? wordByWord(run) : String(sumOf(words))
}

/** Western number words of a lower-case text as digits. */
export function digitsForWords(text: string): string {
  return text
    .replace(TENS_ORDINAL, (_, tens: string, ones: string) => `${(cardinal(tens) ?? 0) + (ENGLISH_ORDINALS.get(ones) ?? 0)}th`)
    .replace(ORDINAL, (word) => `${ENGLISH_ORDINALS.get(word)}th`)
    .replace(NUMERAL, numeral)
    .replace(ONE_OF_UNIT, '1 ')
    .replace(PRONOUN_ONE, '$1one')
    .replace(FOREIGN, (word) => (word === 'once' ? word : String(FOREIGN_NUMBERS.get(word))))
    .replace(DIGITS_AND_SCALE, (_, digit: string, scale: string) => digit + (ZEROS[scale] ?? ''))
}

const CHINESE_NUMERAL = /[〇零一二两兩三四五六七八九十百千万]+(?=[時时點点分秒日天週周月年人名個个回次階层楼度%円元块台本枚匹頭件歳岁])/g
const KOREAN_NUMERAL = new RegExp(`(${alternatives(KOREAN_NUMBERS.keys())}) ?(?=(시간|시|명|개|번|마리|대|살|주|달|사람|잔))`, 'g')

function chineseNumeral(run: string): string {
  let total = 0
  let current = 0
  for (const c of run) {
    if (c === '十') [total, current] = [total + (current || 1) * 10, 0]
    else if (c === '百') [total, current] = [total + (current || 1) * 100, 0]
    else if (c === '千') [total, current] = [total + (current || 1) * 1000, 0]
    else if (c === '万') [total, current] = [(total + current || 1) * 10_000, 0]
    else current = current * 10 + (CHINESE_DIGITS.get(c) ?? 0)
  }
  return String(total + current)
}

/** East Asian numerals as digits, where a counter or unit follows. */
export function digitsForNumerals(text: string): string {
  return text.replace(CHINESE_NUMERAL, chineseNumeral).replace(KOREAN_NUMERAL, (_, word: string) => String(KOREAN_NUMBERS.get(word)))
}

/** The number that digits with separators stand for: "1,200.5", "1.200.000", "10 000", "2,5". */
export function parseNumber(text: string): number {
  const joined = text.replace(/(?<=\d)[ ](?=\d{3})/g, '')
  if (/^\d{1,3}([,']\d{3})+(\.\d+)?$/.test(joined)) return parseFloat(joined.replace(/[,']/g, ''))
  if (/^\d{1,3}(\.\d{3})+$/.test(joined) && joined.split('.').length > 2) return parseFloat(joined.replace(/\./g, ''))
  return parseFloat(joined.replace(',', '.'))
}

/** A number with its sign; nought has none. */
export function signed(amount: number, negative: boolean): number {
  return negative && amount !== 0 ? -amount : amount
}
