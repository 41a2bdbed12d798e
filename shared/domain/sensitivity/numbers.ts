/** Numbers that identify a person or an account: payment cards, social security numbers, IBANs, phones. */

const CARD_CANDIDATE = /(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]?\d)/g

/** Issuer prefix and lengths, so that timestamps and counters are not taken for cards. */
const CARD_ISSUERS: readonly (readonly [prefix: RegExp, lengths: readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^5[1-5]/, [16]],
  [/^2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16]],
  [/^35/, [16]],
  [/^6(?:011|4[4-9]|5)/, [16, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:5018|5020|5038|6304|6759|676[1-3])/, [13, 14, 15, 16, 17, 18, 19]],
]

/** The check digit of payment cards (ISO/IEC 7812). */
function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** True when the text holds the number of a payment card. */
export function holdsCardNumber(text: string): boolean {
  for (const [candidate] of text.matchAll(CARD_CANDIDATE)) {
    const digits = candidate.replace(/\D/g, '')
    const issued = CARD_ISSUERS.some(([prefix, lengths]) => prefix.test(digits) && lengths.includes(digits.length))
    if (issued && !/^(\d)\1+$/.test(digits) && passesLuhn(digits)) return true
  }
  return false
}

const SSN = /(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/
const NAMED_SSN =
  /\b(?:ssn|social[ -]security(?: (?:number|no\.?|#))?)[^\d\n]{0,24}(?!000|666|9)\d{3}[ -]?(?!00)\d{2}[ -]?(?!0000)\d{4}(?!\d)/i

/** True when the text holds a US social security number. */
export function holdsSocialSecurityNumber(text: string): boolean {
  return SSN.test(text) || NAMED_SSN.test(text)
}

const IBAN_CANDIDATE = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])/g

/** The check of ISO 13616: country and check digits to the end, letters as numbers, modulo 97 gives 1. */
function passesMod97(iban: string): boolean {
  let remainder = 0
  for (const c of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of parseInt(c, 36).toString()) remainder = (remainder * 10 + Number(digit)) % 97
  }
  return remainder === 1
}

/** A greedy match may take in words that follow ("… 00 paid"): any prefix of at least 15 characters may be the IBAN. */
function ibanAtStart(candidate: string): boolean {
  const groups = candidate.toUpperCase().split(' ')
  for (let n = groups.length; n > 0; n--) {
    const iban = groups.slice(0, n).join('')
    if (iban.length >= 15 && iban.length <= 34 && passesMod97(iban)) return true
  }
  return false
}

/** True when the text holds a valid IBAN. */
export function holdsIban(text: string): boolean {
  for (const [candidate] of text.matchAll(IBAN_CANDIDATE)) if (ibanAtStart(candidate)) return true
  return false
}

/** The text without its IBANs, whose digits can look like a card. */
export function withoutIbans(text: string): string {
  return text.replace(IBAN_CANDIDATE, (candidate) => (ibanAtStart(candidate) ? ' ' : candidate))
}

const INTERNATIONAL_PHONE = /(?<![\w+.])(?:\+|00(?=[1-9]))[1-9]\d{0,2}(?:[ ./-]{0,2}\(?\d{1,5}\)?){2,6}(?!\d)/g
const AMERICAN_PHONE = /(?<![\w.-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}(?![\w-])/
const NAMED_PHONE =
  /(?:\b(?:phone|telephone|tel|mobile|cell|fax|call|ring|text|sms|whatsapp|telefon|handy|teléfono|téléphone|móvil)\b|電話|电话|전화)(?: (?:number|no\.?|nr\.?|me|her|him|us))?["']?\s{0,3}(?:is|at|on|:|=|：|は|unter|al|au)?\s{0,3}\(?(0?\d(?:[ ./()-]{0,2}\d){5,14})(?!\d)/gi

function digitsIn(text: string): number {
  return text.replace(/\D/g, '').length
}

/** True when the text holds a phone number: international, of the American form, or one that a word announces. */
export function holdsPhone(text: string): boolean {
  for (const [candidate] of text.matchAll(INTERNATIONAL_PHONE)) {
    const digits = digitsIn(candidate)
    if (digits >= 8 && digits <= 16) return true
  }
  if (AMERICAN_PHONE.test(text)) return true
  for (const match of text.matchAll(NAMED_PHONE)) {
    const candidate = match[1] ?? ''
    if (digitsIn(candidate) >= 7 && !/^\d{4}-\d{2}-\d{2}$/.test(candidate.trim())) return true
  }
  return false
}
