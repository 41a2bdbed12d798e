import { canonicalText, levelCharacters } from '../text/canonical.ts'
import { markPolarity, NEGATIVE_WORD } from './polarity.ts'
import { markRegions, predicateStart } from './predicate.ts'
import { type Token, tokensOf } from './tokens.ts'
import { extractValues, MAX_ANALYSED } from './values/extract.ts'
import type { FoundValue } from './values/value.ts'
import { JUDGE_VERSION } from './version.ts'

export type Script = 'latin' | 'ja' | 'zh' | 'ko' | 'other'

/** A value of a claim, and whether it belongs to what is spoken of or to what is said of it. */
export type PlacedValue = FoundValue & { region: 'subject' | 'predicate' }

/**
 * All that the judge knows of one claim before it meets another. Plain JSON; may be kept with the claim for as long as
 * `version` is the judge's. Texts past 2,000 characters are analysed up to there; `canonical` is always of the whole.
 */
export interface Analysis {
  readonly version: string
  readonly key: string
  readonly canonical: string
  /** Characters levelled, as analysed. */
  readonly plain: string
  readonly script: Script
  readonly tokens: readonly Token[]
  /** Index of the first token of the predicate; 0 for an instruction. */
  readonly predicate: number
  readonly values: readonly PlacedValue[]
  readonly negations: number
  /** Words such as "avoids" that negate by their meaning. */
  readonly negativeWords: number
  readonly hedged: boolean
}

const KANA = /[\u3040-\u30ff]/
const HANGUL = /[\uac00-\ud7af]/
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g
const LETTER = /\p{L}/gu
const LATIN_LETTER = /\p{Script=Latin}/gu

function scriptOf(plain: string): Script {
  const cjk = plain.match(CJK)?.length ?? 0
  if (cjk > plain.replace(/\s/g, '').length * 0.3) return KANA.test(plain) ? 'ja' : HANGUL.test(plain) ? 'ko' : 'zh'
  const letters = plain.match(LETTER)?.length ?? 0
  return letters > 0 && (plain.match(LATIN_LETTER)?.length ?? 0) < letters / 2 ? 'other' : 'latin'
}

/** Whole code points only: half a surrogate pair at the cut would be a character of its own. */
function startOf(text: string): string {
  const start = text.slice(0, MAX_ANALYSED)
  return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start
}

/** Reads a claim: words, predicate, polarity, values. Never throws. */
export function analyse(claim: { key: string; text: string }): Analysis {
  const text = startOf(claim.text)
  const plain = levelCharacters(text)
  const { tokens, colons } = tokensOf(text)
  const predicate = predicateStart(tokens, colons)
  markRegions(tokens, predicate)
  markPolarity(tokens)
  const { text: read, found } = extractValues(text, true)
  const border = (tokens[predicate]?.at ?? 0) / Math.max(1, plain.length)
  return {
    version: JUDGE_VERSION,
    key: claim.key,
    canonical: canonicalText(claim.text),
    plain,
    script: scriptOf(plain),
    tokens,
    predicate,
    values: found.map((value) => ({ ...value, region: value.at / Math.max(1, read.length) < border ? 'subject' : 'predicate' })),
    negations: tokens.filter((token) => token.negation).length,
    negativeWords: tokens.filter((token) => NEGATIVE_WORD.test(token.text)).length,
    hedged: tokens.some((token) => token.hedge),
  }
}
