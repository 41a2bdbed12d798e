import { align, type Alignment, contentOf, type Differences, findDifferences, type Match, type Substitution } from './align.ts'
import type { Analysis } from './analyse.ts'
import { bigramOverlap } from './bigrams.ts'
import { compareValues, type ValueComparison, type ValuePair } from './compare-values.ts'
import { areExclusive } from './lexicon/opposites.ts'
import { INDEFINITE_STARTS } from './lexicon/function-words.ts'
import { sensesOf } from './lexicon/lemma.ts'
import { senses } from './predicate.ts'
import type { Token } from './tokens.ts'

/** Two claims side by side: what the rules look at. */
export interface Comparison {
  readonly a: Analysis
  readonly b: Analysis
  /** Cosine of the claims' vectors, or their word overlap. */
  readonly similarity: number
  readonly matches: Alignment['matches']
  readonly substitutions: Differences['substitutions']
  readonly onlyA: Differences['onlyA']
  readonly onlyB: Differences['onlyB']
  readonly values: ValueComparison
  /** Share of content words with a counterpart: of the claim that has fewer, and of the one that has more. */
  readonly coverage: number
  readonly coverageMax: number
  /** Overlap of character pairs of the canonical forms. */
  readonly bigrams: number
  readonly opposites: readonly Match[]
  /** Matches that one claim affirms and the other denies. */
  readonly polarityClashes: readonly Match[]
  /** Differences in the subject: other names or words, opposites, values. */
  readonly subject: { readonly words: readonly Substitution[]; readonly opposites: readonly Match[]; readonly values: readonly ValuePair[] }
  /** Differences of the predicate. */
  readonly predicate: {
    readonly words: readonly Substitution[]
    readonly exclusive: readonly Substitution[]
    readonly names: readonly Substitution[]
    readonly values: readonly ValuePair[]
    /** Opposites that both claims affirm, or both deny. */
    readonly opposites: readonly Match[]
    readonly polarity: readonly Match[]
  }
  /** Both claims are about somebody unnamed ("a man is ..."). */
  readonly indefinite: boolean
  readonly subjectAligned: boolean
}

const bothInSubject = ({ a, b }: { a: Token; b: Token }) => a.region === 'subject' && b.region === 'subject'

/** Nouns, names, adjectives and unknown words: what can be a value. */
export function isNounLike(token: Token): boolean {
  if (token.name || token.identifier) return true
  const known = sensesOf(token.lemma)
  return !known || known.noun > 0 || known.adjective > 0
}

/** Adverbs in the subject ("usually") do not change whom or what it is about. */
function namesSubject(token: Token): boolean {
  if (token.name || token.identifier) return true
  const { noun, verb, adjective, adverb } = senses(token)
  return !token.text.endsWith('ly') && !(adverb > 0 && noun === 0 && verb === 0 && adjective === 0)
}

/** Likelier a verb than a noun, or in a form that only verbs take. */
function isVerbLike(token: Token): boolean {
  const { noun, verb } = senses(token)
  return verb > 0 && (/(ed|ing|s)$/.test(token.text) || verb >= noun)
}

/** Clashes count in the predicate, and not where only nouns clash while the verbs of both claims are denied alike. */
function predicateClashes(matches: readonly Match[], clashes: readonly Match[]): Match[] {
  const inPredicate = clashes.filter(
    ({ a, b, kind }) => kind !== 'opposite' && !a.name && a.region === 'predicate' && b.region === 'predicate',
  )
  const hasVerb = ({ a, b }: Match) => isVerbLike(a) || isVerbLike(b)
  const verbs = matches.filter((match) => match.kind !== 'opposite' && hasVerb(match))
  const verbsDeniedAlike = verbs.some(({ a, b }) => a.polarity < 0 && b.polarity < 0)
  return verbsDeniedAlike && !inPredicate.some(hasVerb) ? [] : inPredicate
}

const NOBODY = /^(nobody|no|none|there|no-one)$/

function isIndefinite(analysis: Analysis): boolean {
  return INDEFINITE_STARTS.has(analysis.tokens[0]?.text ?? '') && !analysis.tokens.some((token) => token.name)
}

/** Instructions, "nobody ...", and sentences of "we" or "it": nothing there that another subject could differ from. */
function lacksSubject(analysis: Analysis): boolean {
  return analysis.predicate === 0 || NOBODY.test(analysis.tokens[0]?.text ?? '')
}

function hasOnlyPronoun(analysis: Analysis): boolean {
  return !analysis.tokens.some((token) => token.region === 'subject' && (token.content || token.valueLike))
}

/** How well the content words of two claims cover each other: [of the less covered, of the more covered]. */
export function coverageOf(a: Analysis, b: Analysis, matches: readonly Match[]): [number, number] {
  const matched = matches.filter((match) => match.kind !== 'opposite').reduce((sum, match) => sum + Math.min(1, match.score + 0.1), 0)
  const [x, y] = [matched / (contentOf(a).length || 1), matched / (contentOf(b).length || 1)]
  return [Math.min(x, y), Math.max(x, y)]
}

/** Puts two claims side by side. */
export function compare(a: Analysis, b: Analysis, similarity: number): Comparison {
  const alignment = align(a, b)
  const { matches } = alignment
  const differences = findDifferences(a, b, alignment)
  const { substitutions } = differences
  const values = compareValues(a, b)
  const [coverage, coverageMax] = coverageOf(a, b, matches)
  const opposites = matches.filter((match) => match.kind === 'opposite')
  const clashes = matches.filter((match) => match.a.polarity * match.b.polarity * (match.kind === 'opposite' ? -1 : 1) < 0)
  const subjectValues = values.differing.filter(([x, y]) => x.region === 'subject' && y.region === 'subject')
  const words = substitutions.filter((substitution) => !bothInSubject(substitution))
  return {
    a,
    b,
    similarity,
    matches,
    values,
    coverage,
    coverageMax,
    opposites,
    ...differences,
    bigrams: bigramOverlap(a.canonical, b.canonical),
    polarityClashes: clashes,
    subject: {
      words: substitutions.filter((sub) => bothInSubject(sub) && namesSubject(sub.a) && namesSubject(sub.b)),
      opposites: opposites.filter(bothInSubject),
      values: subjectValues,
    },
    predicate: {
      words,
      exclusive: words.filter((sub) => areExclusive(sub.a, sub.b)),
      names: words.filter(
        ({ a: x, b: y, score }) => (x.name && y.name) || (x.identifier && y.identifier) || (x.identifier !== y.identifier && score > 1.2),
      ),
      values: values.differing.filter((pair) => !subjectValues.includes(pair)),
      opposites: opposites.filter((match) => !bothInSubject(match) && match.a.polarity * match.b.polarity > 0),
      polarity: predicateClashes(matches, clashes),
    },
    indefinite: isIndefinite(a) && isIndefinite(b),
    subjectAligned:
      matches.some((match) => match.kind !== 'opposite' && (match.a.region === 'subject' || match.b.region === 'subject')) ||
      lacksSubject(a) ||
      lacksSubject(b) ||
      (hasOnlyPronoun(a) && hasOnlyPronoun(b)),
  }
}
