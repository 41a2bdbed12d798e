import { levelCharacters } from '../../text/canonical.ts'
import { MEASURE_STEPS, MONEY_STEPS, NUMBER_STEPS, SPAN_STEPS, VERSION_STEPS } from './amounts.ts'
import { BARE_DATE_STEPS, DATE_STEPS, TIME_STEPS, WEEKDAY_STEPS } from './calendar.ts'
import { digitsForNumerals, digitsForWords, signed } from './number-words.ts'
import { MARK, type Reading, read, rewrite, type Step } from './steps.ts'

/** Longest text that is analysed, in UTF-16 units; the rest of a claim is not read for values. */
export const MAX_ANALYSED = 2000

/** "moved from Tuesday to Thursday": the new value is what the claim states. */
const FORMER_VALUE =
  /\b(moved|changed|switched|migrated|rescheduled|shifted|postponed|raised|increased|reduced|lowered|upgraded|renamed|went|cut)\b([^.;]{0,30}?)\bfrom ([^.;]{1,30}?) to\b/g
const REJECTED_VALUE = /\b(instead of|rather than) (?:on |at |in |the )?[\p{L}\d:.%€$]+/gu

/** Steps that only the rules want: a claim's former and rejected values are no values of it. */
const CURRENT_VALUES_ONLY: readonly Step[] = [rewrite(FORMER_VALUE, '$1$2to'), rewrite(REJECTED_VALUE, ' ')]

const IDENTIFIER =
  /(?<![\p{L}\d])(?:[a-z0-9_]+(?:_[a-z0-9]+)+(?:\(\))?|[a-z0-9_]+\(\)|(?:[\w.-]+\/)+[\w.-]+|#[a-z][\w-]+|--?[a-z][\w-]+=\S+)(?![\p{L}\d])/giu

const IDENTIFIER_STEP: Step = read(IDENTIFIER, ([name = '']) =>
  /^\d+\/\d+(\/\d+)?$/.test(name) || /^(and|or|his|he)\//.test(name) ? null : { kind: 'identifier', name: name.replace(/\(\)$/, '') },
)

const UTC_STEP: Step = read(/\butc ?([+-]) ?(\d{1,2})(?::?(\d\d))?/g, ([, sign, hours, minutes]) => ({
  kind: 'offset',
  minutes: signed(Number(hours) * 60 + (Number(minutes) || 0), sign === '-'),
}))

const STEPS: readonly Step[] = [
  (reading) => {
    reading.text = digitsForNumerals(digitsForWords(reading.text))
  },
  rewrite(/([ap])\.m\.?/g, '$1m'),
  IDENTIFIER_STEP,
  UTC_STEP,
  ...DATE_STEPS,
  ...TIME_STEPS,
  ...WEEKDAY_STEPS,
  ...MONEY_STEPS,
  ...SPAN_STEPS,
  ...VERSION_STEPS,
  ...MEASURE_STEPS,
  ...BARE_DATE_STEPS,
  ...NUMBER_STEPS,
]

/**
 * Reads the values of a text: the lower-case text with a mark where each stood, and the values in reading order.
 * @param currentOnly leave out the values that the text says are former or rejected
 */
export function extractValues(text: string, currentOnly: boolean): Reading {
  const levelled = levelCharacters(text.slice(0, MAX_ANALYSED).replace(MARK, ' ')).toLowerCase()
  const reading: Reading = { text: levelled.slice(0, 2 * MAX_ANALYSED), found: [] }
  for (const step of currentOnly ? [...CURRENT_VALUES_ONLY, ...STEPS] : STEPS) step(reading)
  return reading
}
