/** Decimal numbers as Postgres writes them, told without loss. */

const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?$/

function parts(text: string): { readonly sign: string; readonly whole: string; readonly fraction: string } {
  const [, sign = '', whole = '0', fraction = ''] = DECIMAL.exec(text) ?? []
  return { sign, whole: whole.replace(/^0+(?=\d)/, ''), fraction: fraction.replace(/0+$/, '') }
}

/** A decimal as a plain text, from the shortest text of a double: 1e-7 is 0.0000001. */
function plainText(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(String(value)) ?? []
  const shift = Number(exponent)
  const digits = whole + fraction
  const point = whole.length + shift
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return point >= digits.length
    ? `${sign}${digits}${'0'.repeat(point - digits.length)}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/**
 * A decimal as JSON can carry it to the last digit: a number where a double tells it, an integer of any length, else its
 * text.
 */
export function exactNumber(text: string): number | bigint | string {
  const { sign, whole, fraction } = parts(text)
  const exact = `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`
  if (fraction === '') {
    const value = BigInt(exact)
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
  }
  const value = Number(exact)
  const told = parts(plainText(value))
  return `${told.sign}${told.whole}.${told.fraction}` === exact ? value : exact
}

/** Digits after which only whether anything follows decides how a quotient is rounded. */
const DIGITS = 40

/** The double nearest to `sum / count`. */
export function nearestAverage(sum: string, count: number): number {
  const { sign, whole, fraction } = parts(sum)
  const scale = 10n ** BigInt(fraction.length)
  const divisor = BigInt(count) * scale
  let dividend = BigInt(whole + fraction)
  if (dividend === 0n) return 0
  let shift = 0
  while (dividend / divisor < 10n ** BigInt(DIGITS)) {
    dividend *= 10n ** BigInt(DIGITS)
    shift += DIGITS
  }
  const quotient = dividend / divisor
  // A rest that is left makes the number greater than what its digits say: one more digit says so.
  const rest = dividend % divisor === 0n ? '' : '1'
  return Number(`${sign}${quotient}${rest}e-${shift + rest.length}`)
}
