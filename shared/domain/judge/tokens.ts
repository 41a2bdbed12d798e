import { environmentOf } from './environments.ts'
import {
  ALL_STOPS,
  ENGLISH_STOPS,
  FILLERS,
  HEDGES,
  looksEnglish,
  MODAL_HEDGES,
  NEGATIONS,
  NOT_NEGATION_IN_ENGLISH,
} from './lexicon/function-words.ts'
import { isCommonWord, lemmaOf, stemOf } from './lexicon/lemma.ts'
import { type Word, wordsOf } from './words.ts'

/** A word of a claim and all that is known of it by itself and by its place. */
export interface Token {
  /** Lower case. */
  text: string
  raw: string
  lemma: string
  stem: string
  /** Place among the words, punctuation not counted. */
  index: number
  /** Offset in the levelled text. */
  at: number
  /** Clauses are counted by punctuation. */
  clause: number
  /** Part of a value (number, unit, weekday, ...), which the values of the claim account for. */
  valueLike: boolean
  identifier: boolean
  negation: boolean
  capital: boolean
  name: boolean
  hedge: boolean
  environment: string
  /** Says what the claim is about, rather than building the sentence. */
  content: boolean
  region: 'subject' | 'predicate'
  /** The preposition that governs it, in the predicate. */
  preposition: string
  /** -1 under a negation. */
  polarity: number
}

const NUMBER_WORD =
  /^(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|half|quarter|twice|once|dozen|zwei|drei|vier|fünf|zehn|dreißig|trente|dos|tres|cuatro|cinco|diez|treinta)(-\w+)?$/
const UNIT_WORD =
  /^(seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|percent|am|pm|usd|eur|gbp|euros?|dollars?|gb|mb|kb|tb|ms|[kmg]?hz|(?:kilo|mega|giga)?hertz|kwh?|daily|weekly|monthly|yearly|annually|hourly|quarterly|nightly|uhr|wochen?|tage?n?|stunden?|jours?|heures?|días?|horas?|semanas?|weekdays?|weekends?|o'clock|noon|midnight|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|mo|fr|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|lunes|martes|miércoles|jueves|viernes|sábado|domingos?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|montags?|dienstags?|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|every|each)$/

function isValueLike(text: string): boolean {
  return /\d/.test(text) || NUMBER_WORD.test(text) || UNIT_WORD.test(text) || /^[$€£¥]/.test(text)
}

const MEASURED = /^[$€£¥~<>+-]*[\d.,:]+(st|nd|rd|th|er|am|pm|h|k|m|s|ms|gb|mb|kb|tb|kg|g|km|cm|mm|px|d|w|y|%|c|°c|usd|eur)?$/i

/** Letters with digits name a thing ("node18"), unless the digits measure or count something. */
function mixesLettersAndDigits(raw: string): boolean {
  if (!/\p{L}/u.test(raw) || !/\d/.test(raw) || MEASURED.test(raw)) return false
  return !/^v?\d+(\.\d+)+$/.test(raw) && !/^utc/i.test(raw) && !/^v\d+$/i.test(raw) && !/^\d+-(\w+)$/.test(raw)
}

function isIdentifier(raw: string): boolean {
  const shaped = /[_/#@]|\(\)|[a-z][A-Z]/.test(raw) && !/^\d+([/:.]\d+)*$/.test(raw)
  return shaped || mixesLettersAndDigits(raw)
}

function isKnownWord(text: string): boolean {
  return isCommonWord(lemmaOf(text))
}

interface Sentence {
  readonly english: boolean
  readonly allCapitals: boolean
  readonly stops: ReadonlySet<string>
}

/** At the start of a sentence a capital says nothing, unless the word is no common one or has two capitals. */
function isName(raw: string, text: string, atStart: boolean, valueLike: boolean, sentence: Sentence): boolean {
  if (sentence.allCapitals || valueLike || !/^\p{Lu}/u.test(raw) || sentence.stops.has(text)) return false
  return !atStart || !isKnownWord(text) || /^\p{Lu}{2,}/u.test(raw)
}

function isNegation(text: string, english: boolean): boolean {
  if (text.endsWith("n't")) return true
  return NEGATIONS.has(text) && !(english && NOT_NEGATION_IN_ENGLISH.has(text))
}

function token(word: Word, index: number, clause: number, atStart: boolean, sentence: Sentence): Token {
  const raw = word.text
  const text = raw.toLowerCase()
  const identifier = isIdentifier(raw) && !UNIT_WORD.test(text)
  const valueLike = isValueLike(text) && !identifier
  const negation = isNegation(text, sentence.english)
  const stop = sentence.stops.has(text) && !(/^(US|IT)$/.test(raw) && !sentence.allCapitals)
  const lemma = lemmaOf(text.replace(/\(\)$/, ''))
  return {
    text,
    raw,
    lemma,
    stem: stemOf(lemma),
    index,
    at: word.at,
    clause,
    valueLike,
    identifier,
    negation,
    capital: /^\p{Lu}/u.test(raw) && !sentence.allCapitals,
    name: isName(raw, text, atStart, valueLike, sentence),
    hedge: (HEDGES.has(text) || text === 'if') && !(raw === 'May' && index > 0),
    environment: environmentOf(text) ?? '',
    content: !stop && !FILLERS.has(text) && !negation && !valueLike && !MODAL_HEDGES.has(text),
    region: 'predicate',
    preposition: '',
    polarity: 1,
  }
}

/** Words that mean one thing together, in one. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bby hand\b/gi, 'manually'],
  [/\bon foot\b/gi, 'walking'],
  [/\bby (?:bike|bicycle)\b/gi, 'cycling'],
]

const MAX_TOKENS = 400

/** The words of a claim as tokens, and the offsets of its colons; regions and polarity are not yet set. */
export function tokensOf(text: string): { tokens: Token[]; colons: number[] } {
  const plain = PHRASES.reduce((t, [pattern, word]) => t.replace(pattern, word), text)
  const english = looksEnglish(plain)
  const sentence = { english, allCapitals: plain === plain.toUpperCase(), stops: english ? ENGLISH_STOPS : ALL_STOPS }
  const tokens: Token[] = []
  const colons: number[] = []
  let clause = 0
  let atStart = true
  for (const word of wordsOf(plain)) {
    if (word.punctuation) {
      if (/[,;:.?!()-]/.test(word.text)) clause++
      if (/[.?!:]/.test(word.text)) atStart = true
      if (word.text === ':') colons.push(word.at)
      continue
    }
    if (tokens.length === MAX_TOKENS) break
    tokens.push(token(word, tokens.length, clause, atStart, sentence))
    atStart = false
  }
  return { tokens, colons }
}
