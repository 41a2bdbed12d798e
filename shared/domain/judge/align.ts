import type { Analysis } from './analyse.ts'
import { areExclusive, areOpposite } from './lexicon/opposites.ts'
import { synonymy } from './lexicon/lemma.ts'
import type { Token } from './tokens.ts'

export type MatchKind = 'equal' | 'opposite' | 'synonym'

/** A word of one claim and its counterpart in the other. */
export interface Match {
  readonly a: Token
  readonly b: Token
  readonly kind: MatchKind
  /** 0 to 1: how nearly they say the same. */
  readonly score: number
}

export interface Alignment {
  readonly matches: readonly Match[]
  /** Content words without a counterpart. */
  readonly leftA: readonly Token[]
  readonly leftB: readonly Token[]
}

const OPPOSITE_SCORE = 0.7
const SYNONYM_WEIGHT = 0.9
/** What a full sentence of distance between two words costs. */
const DISTANCE_COST = 0.02

/** "pre-tax", "post-tax": hyphenated words that share a part are variants, not the same. */
function areVariants(a: Token, b: Token): boolean {
  if (!a.text.includes('-') || !b.text.includes('-')) return false
  const parts = b.text.split('-')
  return a.text.replaceAll('-', '') !== b.text.replaceAll('-', '') && a.text.split('-').some((part) => parts.includes(part))
}

function matchWords(a: Token, b: Token): { kind: MatchKind; score: number } | null {
  if (a.lemma === b.lemma) return { kind: 'equal', score: 1 }
  if (areOpposite(a, b)) return { kind: 'opposite', score: OPPOSITE_SCORE }
  if (a.identifier || b.identifier || (a.name && b.name)) return null
  if ((a.environment && b.environment) || areExclusive(a, b) || areVariants(a, b)) return null
  const score = synonymy(a, b)
  return score > 0 ? { kind: 'synonym', score: score * SYNONYM_WEIGHT } : null
}

/** Content words that are aligned; alignment costs the product of both claims' words. */
const MAX_CONTENT = 150

/** Content words of a claim, the first 150. */
export function contentOf(analysis: Analysis): Token[] {
  return analysis.tokens.filter((token) => token.content).slice(0, MAX_CONTENT)
}

/** Pairs the content words of two claims, best matches first, nearer places before farther ones. */
export function align(a: Analysis, b: Analysis): Alignment {
  const [wordsA, wordsB] = [contentOf(a), contentOf(b)]
  const candidates: (Match & { rank: number })[] = []
  for (const x of wordsA) {
    for (const y of wordsB) {
      const match = matchWords(x, y)
      if (!match) continue
      const distance = Math.abs(x.index / a.tokens.length - y.index / b.tokens.length)
      candidates.push({ a: x, b: y, ...match, rank: match.score - DISTANCE_COST * distance })
    }
  }
  candidates.sort((x, y) => y.rank - x.rank)
  const [freeA, freeB] = [new Set(wordsA), new Set(wordsB)]
  const matches: Match[] = []
  for (const { a: x, b: y, kind, rank } of candidates) {
    if (!freeA.has(x) || !freeB.has(y)) continue
    freeA.delete(x)
    freeB.delete(y)
    matches.push({ a: x, b: y, kind, score: rank })
  }
  return { matches, leftA: [...freeA], leftB: [...freeB] }
}

/** A word that stands where the other claim has a different one. */
export interface Substitution {
  readonly a: Token
  readonly b: Token
  readonly score: number
}

export interface Differences {
  readonly substitutions: readonly Substitution[]
  /** Words that one claim adds. */
  readonly onlyA: readonly Token[]
  readonly onlyB: readonly Token[]
}

const MIN_SUBSTITUTION = 0.6

/** How likely `b` stands in the place of `a`: the same gap between matched words, the same region, the same sort. */
function substitutionScore(a: Token, b: Token, inGap: boolean, shift: number): number {
  let score = inGap ? 1 : 0
  if ((a.name && b.name) || (a.identifier && b.identifier)) score += 0.7
  if (a.region === b.region) score += 0.4
  score += a.name === b.name ? 0.3 : -0.2
  if (a.environment && b.environment) score += 1.5
  if (areExclusive(a, b)) score += 1.5
  if (a.identifier && b.identifier) score += 0.8
  return score - 0.05 * Math.abs(shift)
}

/** Pairs the words that found no match into substitutions, each with its most likely counterpart. */
export function findDifferences(a: Analysis, b: Analysis, alignment: Alignment): Differences {
  const counterpart = new Map(alignment.matches.map((match) => [match.a, match.b]))
  const ordered = [...counterpart.keys()].sort((x, y) => x.index - y.index)
  const free = new Set(alignment.leftB)
  const substitutions: Substitution[] = []
  for (const x of alignment.leftA) {
    const before = ordered.findLast((token) => token.index < x.index)
    const after = ordered.find((token) => token.index > x.index)
    const left = before ? (counterpart.get(before) as Token).index : -1
    const right = after ? (counterpart.get(after) as Token).index : Infinity
    let best: Substitution | null = null
    for (const y of free) {
      const inGap = y.index > left && y.index < right
      const score = substitutionScore(x, y, inGap, x.index - a.predicate - (y.index - b.predicate))
      if (score > MIN_SUBSTITUTION && score > (best?.score ?? 0)) best = { a: x, b: y, score }
    }
    if (!best) continue
    free.delete(best.b)
    substitutions.push(best)
  }
  const paired = new Set(substitutions.map((substitution) => substitution.a))
  return { substitutions, onlyA: alignment.leftA.filter((token) => !paired.has(token)), onlyB: [...free] }
}
