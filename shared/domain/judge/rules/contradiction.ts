import { synonymy } from '../lexicon/lemma.ts'
import type { Analysis } from '../analyse.ts'
import { type Comparison, isNounLike } from '../comparison.ts'
import type { Evidence } from '../finding.ts'
import { canBeVerb, senses } from '../predicate.ts'
import type { Token } from '../tokens.ts'
import { denied, valuesDiffer, wordsDiffer } from '../wording.ts'
import {
  ALL,
  DENIED,
  EVERYONE,
  EXCEPT,
  lower,
  NO_LONGER,
  OBLIGATORY,
  ONLY,
  ONLY_ENGLISH,
  oppositeFunctionWords,
  OPTIONAL,
  PLAINLY_DENIED,
  POSSIBLE,
  reportingLine,
  REQUIRED,
  STILL,
  UNIVERSAL,
  WITHOUT,
} from './phrases.ts'

/** Rules that find values which cannot both hold, of the same subject and attribute. */

const contradicts = (rule: string, reason: string): Evidence => ({ rule, finding: 'contradicts', reason })

const AND_OR = /^(and|or|und|y|et|,)$/
const BY = /\b(by|von|por|par)\b/

/** Names that both claims have, in the order of each. */
function sharedNames({ a, b }: Comparison): [string[], string[]] {
  const names = (own: Analysis, other: Analysis) =>
    own.tokens
      .filter(
        (token) =>
          token.name || (token.capital && token.index === 0 && other.tokens.some((word) => word.name && word.lemma === token.lemma)),
      )
      .map((token) => token.lemma)
  const [x, y] = [names(a, b), names(b, a)]
  return [[...new Set(x)].filter((name) => y.includes(name)), [...new Set(y)].filter((name) => x.includes(name))]
}

/** The order of a list says nothing: "Ana and Bo" is "Bo and Ana". */
function isList(tokens: readonly Token[], names: readonly string[]): boolean {
  const places = tokens.filter((token) => names.includes(token.lemma)).map((token) => token.index)
  return places.every(
    (place, i) =>
      i === 0 || tokens.slice((places[i - 1] as number) + 1, place).every((token) => /^(and|or|und|y|et|&|the)$/.test(token.text)),
  )
}

/** A name as the claim writes it. */
function spelledIn(tokens: readonly Token[], lemma: string): string {
  return tokens.find((token) => token.lemma === lemma)?.raw ?? lemma
}

/** "Ana reviews Bo's work" / "Bo reviews Ana's work". */
export function swappedRoles(pair: Comparison): Evidence | null {
  const { a, b, coverage, onlyA, onlyB } = pair
  if (coverage < 0.85 || BY.test(lower(a)) !== BY.test(lower(b))) return null
  const [inA, inB] = sharedNames(pair)
  if (inA.length < 2 || inA.join() === inB.join() || isList(a.tokens, inA) || isList(b.tokens, inA)) return null
  const rest = (tokens: readonly Token[]) =>
    tokens
      .filter((token) => !inA.includes(token.lemma) && !AND_OR.test(token.text))
      .map((token) => (/^(his|her|their|its)$/.test(token.text) ? 'their' : token.lemma))
      .join(' ')
  const restEqual = rest(a.tokens) === rest(b.tokens)
  return restEqual || (coverage > 0.95 && onlyA.length + onlyB.length === 0)
    ? contradicts(
        'swapped-roles',
        `The roles of ${inA
          .slice(0, 2)
          .map((name) => spelledIn(a.tokens, name))
          .join(' and ')} are swapped.`,
      )
    : null
}

/** Manages and reports to, either way round. */
export function reporting({ a, b }: Comparison): Evidence | null {
  const [x, y] = [reportingLine(a), reportingLine(b)]
  if (!x || !y) return null
  if (x[0] === y[0] && x[1] === y[1]) {
    return { rule: 'reporting', finding: 'restates', reason: `Both say that ${x[1]} reports to ${x[0]}.` }
  }
  if ((x[0] === y[1] && x[1] === y[0]) || x[1] === y[1]) {
    return contradicts('reporting', `${x[1]} reports to ${x[0]} in one claim; the other says ${y[1]} reports to ${y[0]}.`)
  }
  return { rule: 'reporting', finding: 'clear', reason: 'They name different reporting lines.' }
}

export function anyoneAgainstOnly({ a, b, coverageMax, onlyA, onlyB, predicate }: Comparison): Evidence | null {
  const [x, y] = [lower(a), lower(b)]
  const only = /^(only|just)\b/
  const stands = (EVERYONE.test(x) && only.test(y)) || (EVERYONE.test(y) && only.test(x))
  const extra = [...onlyA, ...onlyB].some((token) => token.region === 'predicate')
  return stands && coverageMax >= 0.5 && !extra && !predicate.words.length
    ? contradicts('anyone-only', 'One says everyone, the other only some.')
    : null
}

export function exception({ a, b, coverageMax }: Comparison): Evidence | null {
  const [x, y] = [EXCEPT.test(lower(a)), EXCEPT.test(lower(b))]
  const general = (analysis: Analysis) => analysis.tokens.some((token) => UNIVERSAL.test(token.text))
  return x !== y && general(x ? b : a) && coverageMax > 0.7
    ? contradicts('exception', 'One makes an exception that the other rules out.')
    : null
}

export function closedList({ a, b, onlyA, onlyB, coverage }: Comparison): Evidence | null {
  const extra = [...onlyA, ...onlyB].find((token) => token.name)
  return extra && ONLY.test(lower(a)) && ONLY.test(lower(b)) && coverage > 0.5
    ? contradicts('closed-list', `Both say "only", and one of them leaves out ${extra.raw}.`)
    : null
}

export function requiredAgainstWithout({ a, b, coverageMax }: Comparison): Evidence | null {
  if (WITHOUT.test(a.plain) === WITHOUT.test(b.plain) || coverageMax < 0.5) return null
  const [without, other] = WITHOUT.test(a.plain) ? [lower(a), lower(b)] : [lower(b), lower(a)]
  return REQUIRED.test(other) && POSSIBLE.test(without) && !DENIED.test(without) && !PLAINLY_DENIED.test(other)
    ? contradicts('required-without', 'One requires what the other does without.')
    : null
}

export function obligation({ a, b, coverageMax }: Comparison): Evidence | null {
  const force = (analysis: Analysis) => (OPTIONAL.test(lower(analysis)) ? -1 : OBLIGATORY.test(lower(analysis)) ? 1 : 0)
  return force(a) * force(b) < 0 && coverageMax >= 0.4 ? contradicts('obligation', 'One makes it required, the other optional.') : null
}

export function stillAgainstGone({ a, b, coverageMax }: Comparison): Evidence | null {
  const [x, y] = [lower(a), lower(b)]
  const stands = (still: string, gone: string) => STILL.test(still) && NO_LONGER.test(gone) && !NO_LONGER.test(still)
  return (stands(x, y) || stands(y, x)) && coverageMax >= 0.4
    ? contradicts('still-gone', 'One says it goes on, the other that it has ended.')
    : null
}

/** From here on the two are about one thing: below, "every" and "only" mostly speak of different matters. */
const ALL_ONLY_SIMILARITY = 0.65

export function allAgainstOnly({ a, b, similarity, coverageMax, substitutions, onlyA, onlyB, values }: Comparison): Evidence | null {
  const [x, y] = [lower(a), lower(b)]
  const stands = (all: string, only: string) => ALL.test(all) && !ONLY_ENGLISH.test(all) && ONLY_ENGLISH.test(only) && !ALL.test(only)
  return (stands(x, y) || stands(y, x)) &&
    coverageMax >= 0.5 &&
    similarity >= ALL_ONLY_SIMILARITY &&
    !values.equal.length &&
    substitutions.length + onlyA.length + onlyB.length > 0
    ? contradicts('all-only', 'One says all, the other only some.')
    : null
}

/** Enough is shared for the claims to be about one thing. */
function isGated({ similarity, coverageMax, subjectAligned }: Comparison): boolean {
  return (similarity > 0.55 || coverageMax > 0.5) && subjectAligned
}

export function differingValue(pair: Comparison): Evidence | null {
  const value = pair.predicate.values[0]
  if (!value || !isGated(pair) || (pair.indefinite && pair.coverage <= 0.8)) return null
  return pair.coverageMax >= 0.5 || pair.similarity > 0.62 ? contradicts('value', valuesDiffer(value)) : null
}

/** Share of the denied words, in the claim that denies more, that the other claim has. */
function deniedCoverage({ a, b, matches }: Comparison): number {
  const denying = a.negations >= b.negations ? a : b
  const words = denying.tokens.filter((token) => token.content && token.polarity < 0)
  const matched = new Set(matches.flatMap((match) => [match.a, match.b]))
  return words.length ? words.filter((token) => matched.has(token)).length / words.length : 1
}

export function denial(pair: Comparison): Evidence | null {
  const { polarity } = pair.predicate
  if (!polarity.length || !isGated(pair) || pair.coverageMax < 0.45) return null
  const heavy =
    polarity.length >= Math.max(1, 0.3 * Math.min(pair.matches.length, 8)) ||
    polarity.some((match) => match.kind === 'equal' && match.a.index >= pair.a.predicate && canBeVerb(match.a))
  return heavy && (deniedCoverage(pair) >= 0.6 || pair.similarity > 0.8) ? contradicts('denial', denied(polarity[0]?.a)) : null
}

export function opposite(pair: Comparison): Evidence | null {
  const match = pair.predicate.opposites[0]
  if (!match || !isGated(pair) || pair.coverageMax < 0.45 || (pair.indefinite && pair.coverage <= 0.65)) return null
  return contradicts('opposite', `Opposites: ${match.b.raw} against ${match.a.raw}.`)
}

export function exclusiveValue(pair: Comparison): Evidence | null {
  const match = pair.predicate.exclusive[0]
  return match && isGated(pair) && !pair.indefinite && pair.coverageMax >= 0.4
    ? contradicts('exclusive', wordsDiffer('Values', match))
    : null
}

/** What an identifier names, where its shape tells. */
function identifierKind(text: string): string {
  if (text.includes('@')) return 'email'
  if (/^(https?:|www)|\.(io|com|org|net|dev)$/.test(text)) return 'url'
  if (text.includes('/')) return 'path'
  if (text.startsWith('#')) return 'channel'
  return /^[a-z]+-[a-z]+-\d/.test(text) ? 'region' : ''
}

export function replacedIdentifier(pair: Comparison): Evidence | null {
  if (!isGated(pair) || pair.similarity <= 0.55) return null
  const match = pair.predicate.names.find(
    ({ a, b }) => a.identifier && b.identifier && identifierKind(a.text) !== '' && identifierKind(a.text) === identifierKind(b.text),
  )
  return match ? contradicts('identifier', wordsDiffer('Names', match)) : null
}

export function replacedName(pair: Comparison): Evidence | null {
  const match = pair.predicate.names[0]
  return match && isGated(pair) && pair.coverageMax >= 0.5 ? contradicts('name', wordsDiffer('Names', match)) : null
}

const SOFT_OPPOSITIONS = new Set(['all', 'must', 'with'])

export function functionWord(pair: Comparison): Evidence | null {
  const { a, b, coverage } = pair
  const oppositions = oppositeFunctionWords(pair)
  if (!oppositions.length || !isGated(pair) || coverage < 0.7) return null
  const qualified =
    a.plain.includes('without') ||
    b.plain.includes('without') ||
    a.negations > 1 ||
    b.negations > 1 ||
    ONLY.test(lower(a)) ||
    ONLY.test(lower(b))
  if (oppositions.every((name) => SOFT_OPPOSITIONS.has(name)) && qualified) return null
  if (oppositions.length > 1 && oppositions.includes('before')) return null
  return contradicts('function-word', 'A small word turns one claim against the other.')
}

/** Nearly the same sentence with one negation more. */
export function negationCount(pair: Comparison): Evidence | null {
  const { a, b, similarity, opposites } = pair
  if (!isGated(pair) || similarity <= 0.9 || a.negativeWords || b.negativeWords) return null
  return (a.negations + b.negations + opposites.length) % 2 === 1 ? contradicts('negation', denied(undefined)) : null
}

function isPlainlyVerb(token: Token): boolean {
  const { noun, verb, adjective } = senses(token)
  if (!verb) return false
  return (verb > noun && verb >= adjective) || /(ing|ed)$/.test(token.text) || (token.lemma !== token.text && !token.text.endsWith('s'))
}

/** Everything else agrees and one word of the predicate is another: the value was replaced. */
export function replacedWord(pair: Comparison): Evidence | null {
  const { a, b, predicate, coverageMax, onlyA, onlyB, values, indefinite } = pair
  if (indefinite || !isGated(pair) || coverageMax < 0.6 || onlyA.length + onlyB.length > 1) return null
  const [verb, otherVerb] = [a.tokens[a.predicate], b.tokens[b.predicate]]
  if (!verb || !otherVerb || !synonymy(verb, otherVerb) || values.onlyA.length + values.onlyB.length > 0) return null
  const match = predicate.words.find(
    ({ a: x, b: y }) =>
      !isPlainlyVerb(x) && !isPlainlyVerb(y) && isNounLike(x) && isNounLike(y) && !synonymy(x, y) && x.preposition === y.preposition,
  )
  return match ? contradicts('replaced-word', wordsDiffer('Values', match)) : null
}
