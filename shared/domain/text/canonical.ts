/**
 * The canonical form of a text, and the levelling of characters it rests on. Two claims whose canonical forms are
 * equal are one claim, and the second is not stored. So the form may level how a thing is written, never what it
 * says: digits, signs and units stay.
 */

const VARIATION_SELECTORS = /[\ufe0e\ufe0f\u20e3]/g
const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060\ufeff\u00ad]/g
const DOUBLE_QUOTES = /[“”„‟«»「」『』＂〝〞]/g
const SINGLE_QUOTES = /[‘’‚‛ʼ`´]/g
const DASHES = /[‐‑‒–—−―]/g
/** Digits that NFKC would set beside those before them: "10²" is not "102", nor "1½" "11⁄2". */
const RAISED_AFTER_DIGIT = /(?<=\p{Nd})(?=[⁰¹²³⁴-⁹₀-₉])/gu
const FRACTION_AFTER_DIGIT = /(?<=\p{Nd})(?=[¼-¾⅐-⅞])/gu
const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu

/** Value of a decimal digit of any script: its blocks are runs of ten, in order. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 48
  let zero = code
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(code - zero)
}

/** One spelling for each character: NFKC, ASCII digits, plain quotes and dashes, single spaces, nothing invisible. */
export function levelCharacters(text: string): string {
  return text
    .replace(RAISED_AFTER_DIGIT, '^')
    .replace(FRACTION_AFTER_DIGIT, ' ')
    .normalize('NFKC')
    .replace(VARIATION_SELECTORS, '')
    .replace(FOREIGN_DIGIT, asciiDigit)
    .replace(INVISIBLE, '')
    .replace(DOUBLE_QUOTES, '"')
    .replace(SINGLE_QUOTES, "'")
    .replace(DASHES, '-')
    .replace(/\s+/g, ' ')
    .trim()
}

const DATA_UNIT = /(\d) ?([kmgt]i?b)(?![\p{L}\p{N}])/giu
const DATA_RATE = /(\d) ?([KMGTkmgt]i?)B(?:ps|\/s)(?![\p{L}\p{N}])/gu
const MEGA_UNIT = /(\d) ?M(?=(?:W|Wh|V|A|Pa)?(?![\p{L}\p{N}]))/gu
const SPACED_UNIT = /(\d) ?(ms|kg|km|cm|mm|[km]?hz|ghz|[km]?wh?|[km]?v|ma|px|%|°c|°f)(?![\p{L}\p{N}])/giu

const MIN_CAPITALS = 8

/** A unit or two in capitals is no text in capitals. */
function isAllCapitals(text: string): boolean {
  return text === text.toUpperCase() && (text.match(/\p{Lu}/gu)?.length ?? 0) >= MIN_CAPITALS
}

/**
 * "5GB" is "5 GB". Case says nothing but where a bit meets a byte, or a mega a milli; in a text of capitals alone not
 * even there.
 */
function levelUnits(text: string): string {
  const spaced = text.replace(SPACED_UNIT, '$1 $2')
  if (isAllCapitals(text)) return spaced.replace(DATA_UNIT, '$1 $2')
  return spaced
    .replace(DATA_RATE, (_, digit: string, prefix: string) => `${digit} ${prefix}byte/s`)
    .replace(DATA_UNIT, (_, digit: string, unit: string) => {
      const bits = unit.endsWith('b') && /[A-Z]/.test(unit)
      return `${digit} ${unit.slice(0, -1)}${bits ? 'bit' : 'b'}`
    })
    .replace(MEGA_UNIT, '$1 mega')
}

const OPENS_BEFORE = /[\s([{:,=-]/

/** Drops quotation marks and apostrophes; after a digit, an unpaired mark is a measure (feet, inches) and stays. */
function dropQuotes(text: string): string {
  let kept = ''
  const open = { '"': false, "'": false }
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string
    if (c !== '"' && c !== "'") {
      kept += c
      continue
    }
    const before = text[i - 1] ?? ' '
    if (open[c]) open[c] = false
    else if (OPENS_BEFORE.test(before)) open[c] = true
    else if (/\d/.test(before)) kept += c === '"' ? '″' : '′'
  }
  return kept
}

const BULLET = /^[-•·*] +(?!\d)/
const EMPHASIS = /(?<![\p{L}\p{N}*])(\*\*?)([^*\s][^*]*)\1(?![\p{L}\p{N}*])/gu
const STOP_RUN = /[.,:]+/g
const STOP_ENDS_BEFORE = /[\s)\]}>;!?]/
const STOP_AFTER_LETTER = /(?<=[^\x00-\x7f])[.,:](?=\D|$)/gu
const STOP_BEFORE_CJK = /[.,:](?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])/gu
const SEPARATORS = /[;?()[\]{}、。，；：！？・…¿¡]/gu
const EXCLAMATION = /!(?![\p{L}=(])/gu
const LONE_DASH = /(?<=\s)[-/](?=\s(?!\d))/g
const CJK_SPACE = /(?<=[\u3040-\u30ff\u4e00-\u9fff]) (?=[\u3040-\u30ff\u4e00-\u9fff])/g

/**
 * The canonical form of a claim text: NFKC, case, white space, quotes and closing punctuation levelled. A final
 * question mark stays (a question is not the statement), and so does every digit, sign and unit.
 */
export function canonicalText(text: string): string {
  const levelled = levelCharacters(text)
  const question = /[?？]$/.test(levelled)
  const bare = dropQuotes(levelUnits(levelled).toLowerCase())
    .replace(/ß/g, 'ss')
    .replace(/ς/g, 'σ')
    .replace(/i̇/g, 'i')
    .replace(BULLET, '')
    .replace(EMPHASIS, '$2')
    .replace(STOP_RUN, (run, at: number, all: string) =>
      at + run.length === all.length || STOP_ENDS_BEFORE.test(all[at + run.length] as string) ? ' ' : run,
    )
    .replace(STOP_AFTER_LETTER, ' ')
    .replace(STOP_BEFORE_CJK, ' ')
    .replace(SEPARATORS, ' ')
    .replace(EXCLAMATION, ' ')
    .replace(LONE_DASH, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(CJK_SPACE, '')
  return question ? `${bare} ?` : bare
}
