/** A value named in a claim, in one spelling whatever way it was written. */
export type Value =
  | { kind: 'time'; minutes: number; until?: number }
  | { kind: 'date'; year?: number; month?: number; day?: number }
  | { kind: 'weekdays'; days: number }
  | { kind: 'money'; currency: string; amount: number }
  | { kind: 'duration'; seconds: number; working: boolean }
  | { kind: 'frequency'; seconds: number }
  | { kind: 'quantity'; unit: string; amount: number }
  | { kind: 'version'; version: string }
  | { kind: 'offset'; minutes: number }
  | { kind: 'number'; amount: number; glued?: boolean }
  | { kind: 'ordinal'; amount: number }
  | { kind: 'quarter'; quarter: number }
  | { kind: 'identifier'; name: string }

/** A value where it stood: `raw` as written, `at` its offset in the levelled text at the time it was read. */
export type FoundValue = Value & { raw: string; at: number }

function near(a: number, b: number, tolerance: number): boolean {
  return Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b)) + 1e-9
}

type DateValue = Extract<Value, { kind: 'date' }>
type TimeValue = Extract<Value, { kind: 'time' }>

const DATE_PARTS = ['year', 'month', 'day'] as const

function sameDate(a: DateValue, b: DateValue): boolean {
  const differs = DATE_PARTS.some((part) => a[part] !== undefined && b[part] !== undefined && a[part] !== b[part])
  return !differs && DATE_PARTS.some((part) => a[part] !== undefined && a[part] === b[part])
}

/** A single time equals a range when it is one of its ends ("opens at 9" beside "9 to 17"). */
function sameTime(a: TimeValue, b: TimeValue): boolean {
  if (a.until !== undefined && b.until !== undefined) return a.minutes === b.minutes && a.until === b.until
  if (a.until === undefined && b.until === undefined) return a.minutes === b.minutes
  const [range, single] = a.until !== undefined ? [a, b] : [b, a]
  return single.minutes === range.minutes || single.minutes === range.until
}

/** Durations and frequencies agree within 2%: a month is not always 30 days. */
const SPAN_TOLERANCE = 0.02

/** Past 2^53 a number no longer holds its last digits: long numbers are the same when they are written the same. */
function sameNumber(a: FoundValue & { amount: number }, b: FoundValue & { amount: number }): boolean {
  return a.amount === b.amount && (Math.abs(a.amount) <= Number.MAX_SAFE_INTEGER || a.raw === b.raw)
}

function sameAcrossKinds(a: Value, b: Value): boolean {
  if (a.kind === 'duration' && b.kind === 'frequency') return near(a.seconds, b.seconds, SPAN_TOLERANCE)
  if (a.kind !== 'number') return false
  switch (b.kind) {
    case 'ordinal':
    case 'money':
      return a.amount === b.amount
    case 'version':
      return String(a.amount) === b.version
    case 'quantity':
      return b.unit !== 'B' && a.amount === b.amount
    case 'date':
      return b.year === a.amount && b.month === undefined
    default:
      return false
  }
}

/** True when two values say the same, over kinds where kinds overlap (a bare number may be a price). */
export function sameValue(a: FoundValue, b: FoundValue): boolean {
  switch (a.kind) {
    case 'date':
      if (b.kind === 'date') return sameDate(a, b)
      break
    case 'time':
      if (b.kind === 'time') return sameTime(a, b)
      break
    case 'money':
      if (b.kind === 'money') return a.currency === b.currency && near(a.amount, b.amount, 1e-6)
      break
    case 'quantity':
      if (b.kind === 'quantity') return a.unit === b.unit && near(a.amount, b.amount, 1e-6)
      break
    case 'duration':
      if (b.kind === 'duration') return near(a.seconds, b.seconds, SPAN_TOLERANCE)
      break
    case 'frequency':
      if (b.kind === 'frequency') return near(a.seconds, b.seconds, SPAN_TOLERANCE)
      break
    case 'weekdays':
      if (b.kind === 'weekdays') return a.days === b.days
      break
    case 'version':
      if (b.kind === 'version') return a.version === b.version
      break
    case 'offset':
      if (b.kind === 'offset') return a.minutes === b.minutes
      break
    case 'number':
    case 'ordinal':
      if (b.kind === a.kind) return sameNumber(a, b)
      break
    case 'quarter':
      if (b.kind === 'quarter') return a.quarter === b.quarter
      break
    case 'identifier':
      if (b.kind === 'identifier') return a.name === b.name
      break
  }
  return sameAcrossKinds(a, b) || sameAcrossKinds(b, a)
}

const FAMILIES: Readonly<Partial<Record<Value['kind'], string>>> = {
  duration: 'span',
  frequency: 'span',
  number: 'number',
  ordinal: 'number',
  version: 'number',
  money: 'number',
  quantity: 'number',
}

/** Kinds of one family can stand for one another ("30" beside "30 EUR"). */
export function familyOf(kind: Value['kind']): string {
  return FAMILIES[kind] ?? kind
}
