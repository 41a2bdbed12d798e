import { areExclusive, areTwoAttributes } from '../lexicon/opposites.ts'
import { synonymy } from '../lexicon/lemma.ts'
import type { Analysis } from '../analyse.ts'
import { type Comparison, isNounLike } from '../comparison.ts'
import { arePlainlyEnvironments } from '../environments.ts'
import type { Evidence } from '../finding.ts'
import type { Token } from '../tokens.ts'
import { valueInWords, wordsDiffer } from '../wording.ts'
import { lower, oppositeFunctionWords } from './phrases.ts'

/** Rules that find the claims to be about different things: whatever they say then, nothing stands between them. */

const clear = (rule: string, reason: string): Evidence => ({ rule, finding: 'clear', reason })

/** Below both, two claims share too little to be about one thing. */
const RELATED_SIMILARITY = 0.42
const RELATED_COVERAGE = 0.6

export function unrelated({ similarity, coverageMax }: Comparison): Evidence | null {
  return similarity < RELATED_SIMILARITY && coverageMax < RELATED_COVERAGE ? clear('unrelated', 'About different things.') : null
}

/** The environments that the claims' words name, [of a, of b], where each names one that the other does not. */
function otherEnvironments({ a, b, coverageMax }: Comparison): [string, string] | null {
  const named = (analysis: Analysis) => new Set(analysis.tokens.map((token) => token.environment).filter(Boolean))
  const [x, y] = [named(a), named(b)]
  const [onlyX, onlyY] = [[...x].find((name) => !y.has(name)), [...y].find((name) => !x.has(name))]
  return onlyX && onlyY && coverageMax > 0.4 ? [onlyX, onlyY] : null
}

export function environment(pair: Comparison): Evidence | null {
  const names = otherEnvironments(pair)
  return names && clear('environment', `Different environments: ${names[1]} against ${names[0]}.`)
}

/** True when the claims are of two environments beyond doubt: nothing then makes them one fact, or a conflict. */
export function inOtherEnvironments(pair: Comparison): boolean {
  const names = otherEnvironments(pair)
  return names !== null && arePlainlyEnvironments(...names)
}

const TIME_START = /^(before|after|until|since|from|in|during|bis|ab|seit)$/

/** "Before May ..." and "After May ...": two periods. */
export function openingPeriod(pair: Comparison): Evidence | null {
  const starts = (analysis: Analysis) => TIME_START.test(analysis.tokens[0]?.text ?? '')
  return starts(pair.a) && starts(pair.b) && oppositeFunctionWords(pair).includes('before')
    ? clear('opening-period', 'They speak of different periods.')
    : null
}

const RELATION =
  /^(wife|husband|sister|brother|mother|father|mom|dad|son|daughter|boss|manager|team|dog|cat|company|parents?|friends?|colleagues?|assistant|partner|child|children|kids?|family|cousin|uncle|aunt|neighbou?r|roommate|predecessor|successor|deputy)$/

/** "Ana's sister" is not Ana. */
export function possessive({ a, b, onlyA, onlyB, substitutions }: Comparison): Evidence | null {
  const unmatched = new Set([...onlyA, ...onlyB, ...substitutions.flatMap((sub) => [sub.a, sub.b])])
  const relativeOf = (own: Analysis, other: Analysis) => {
    const owner = own.tokens.find((token) => {
      const relative = own.tokens[token.index + 1]
      return (
        /['’]s$/.test(token.text) &&
        token.index < own.predicate &&
        own.predicate - token.index <= 3 &&
        relative !== undefined &&
        RELATION.test(relative.text) &&
        unmatched.has(relative) &&
        other.tokens.some((word) => word.index < other.predicate && word.text === token.text.replace(/['’]s$/, ''))
      )
    })
    return owner && `${owner.raw} ${own.tokens[owner.index + 1]?.raw}`
  }
  const relative = relativeOf(a, b) ?? relativeOf(b, a)
  return relative ? clear('possessive', `One is about ${relative}, the other is not.`) : null
}

/** The sentences run alike, so that a difference in the subject is one of subject. */
function isParallel({ a, b, bigrams, coverage, coverageMax, similarity, subject }: Comparison): boolean {
  const sameVerb = a.tokens[a.predicate]?.lemma === b.tokens[b.predicate]?.lemma
  return bigrams > 0.55 || coverage >= 0.6 || (coverageMax >= 0.3 && similarity < 0.85 && subject.words.length > 0 && sameVerb)
}

export function otherSubject(pair: Comparison): Evidence | null {
  const { words, opposites, values } = pair.subject
  if ((!words.length && !opposites.length && !values.length) || !isParallel(pair)) return null
  const value = values[0]
  if (words[0] || opposites[0] || !value) return clear('subject', wordsDiffer('Subjects', words[0] ?? opposites[0]))
  return clear('subject', `Subjects differ: ${valueInWords(value[1])} against ${valueInWords(value[0])}.`)
}

/** The common noun before the number that ends the subject: "worker 3 runs". A capital may make it a version: "Node 18 is". */
function numberedNoun({ tokens, predicate }: Analysis, raw: string): string | undefined {
  const [noun, number] = tokens.slice(Math.max(0, predicate - 2), predicate)
  return number?.text === raw && noun?.content && !noun.valueLike && noun.raw === noun.text ? noun.lemma : undefined
}

/** "The worker 3 ..." against "the worker 5 ...": two things, and no model reads numbers better. */
export function numberedApart({ a, b, subject }: Comparison): boolean {
  const [[x, y] = [], ...others] = subject.values
  if (x?.kind !== 'number' || y?.kind !== 'number' || others.length + subject.words.length + subject.opposites.length > 0) return false
  const noun = numberedNoun(a, x.raw)
  return noun !== undefined && noun === numberedNoun(b, y.raw)
}

/** "... for Acme" against "... for Borealis". */
export function otherBeneficiary(pair: Comparison): Evidence | null {
  const scope = pair.substitutions.find(
    ({ a, b }) =>
      a.region === 'predicate' &&
      b.region === 'predicate' &&
      /^(for|of)$/.test(a.preposition) &&
      a.preposition === b.preposition &&
      (a.name || b.name),
  )
  return scope && isParallel(pair) ? clear('beneficiary', wordsDiffer('Scopes', scope)) : null
}

/** "the invoice colour is red" / "the quote colour is blue": a noun differs, and only after it the value. */
export function otherNounBeforeValue({ a, b, predicate, opposites, polarityClashes, similarity }: Comparison): Evidence | null {
  const noun = predicate.words
    .filter(
      ({ a: x, b: y }) => !x.name && !x.identifier && !x.valueLike && x.index > a.predicate && y.index > b.predicate && !synonymy(x, y),
    )
    .sort((x, y) => x.a.index - y.a.index)[0]
  if (!noun || similarity >= 0.88) return null
  const later = ({ a: x }: { a: Token }) => x !== noun.a && x.index > noun.a.index + 1
  const valueDiffers = predicate.exclusive.some(later) || opposites.some((match) => match.a.region === 'predicate' && later(match))
  const deniedLater = polarityClashes.some((match) => match.a.index > noun.a.index + 1) && areExclusive(noun.a, noun.b)
  return valueDiffers || deniedLater ? clear('noun-before-value', wordsDiffer('Subjects', noun)) : null
}

const CONDITION = /^(if|when|wenn|si|cuando)\b/i

export function otherCondition({ a, b, opposites, substitutions, coverage }: Comparison): Evidence | null {
  return CONDITION.test(a.plain) && CONDITION.test(b.plain) && opposites.length + substitutions.length > 0 && coverage < 0.75
    ? clear('condition', 'They hold under different conditions.')
    : null
}

const SCOPING = /^(on|for|of|in|during|under|with|from)$/

/** A noun under the same scoping preposition differs: "in the Oslo office" / "in the Bergen office". */
function scopeSubstitutions({ predicate }: Comparison) {
  return predicate.words.filter(
    ({ a, b }) =>
      SCOPING.test(a.preposition) &&
      a.preposition === b.preposition &&
      !a.identifier &&
      !b.identifier &&
      isNounLike(a) &&
      isNounLike(b) &&
      !areExclusive(a, b),
  )
}

export function otherPlace(pair: Comparison): Evidence | null {
  const scope = scopeSubstitutions(pair)[0]
  return scope && pair.predicate.values.length > 0 && pair.similarity < 0.85 && !pair.values.equal.length
    ? clear('place', wordsDiffer('Scopes', scope))
    : null
}

/** "30 days" and "30 EUR" answer different questions. */
export function otherMeasure({ values, predicate, similarity }: Comparison): Evidence | null {
  const other = values.otherKind[0]
  return other && !predicate.values.length && !predicate.polarity.length && similarity < 0.85
    ? clear('measure', `They measure different things: ${valueInWords(other[1])}, ${valueInWords(other[0])}.`)
    : null
}

const LINK = /^(is|are|was|were|has|have|can|may|must|ist|sind)$/

/** "the start date is" / "the end date is": two attributes, both of which have a value. */
export function otherAttribute({ a, b, opposites, subject, values, predicate }: Comparison): Evidence | null {
  const attributes = opposites.filter((match) => areTwoAttributes(match.a, match.b))
  const linked = (analysis: Analysis, token: Token) =>
    analysis.tokens.some((t) => t.index > token.index && t.index <= token.index + 6 && t.clause === token.clause && LINK.test(t.text))
  const modifies = attributes.find(({ a: x, b: y }) => {
    const [noun, otherNoun] = [a.tokens[x.index + 1], b.tokens[y.index + 1]]
    return noun?.content && noun.lemma === otherNoun?.lemma && linked(a, x) && linked(b, y)
  })
  if (modifies && !subject.values.length) return clear('attribute', wordsDiffer('Attributes', modifies))
  const valuesDiffer = values.differing.length > 0 || predicate.words.some((sub) => sub.a.name && sub.b.name)
  return attributes.length && valuesDiffer ? clear('attribute', wordsDiffer('Attributes', attributes[0])) : null
}

/** "open in summer" / "closed in winter". */
export function oppositeElsewhere(pair: Comparison): Evidence | null {
  const scope = scopeSubstitutions(pair)[0]
  return scope &&
    pair.predicate.opposites.length &&
    !pair.predicate.values.length &&
    pair.similarity < 0.85 &&
    !oppositeFunctionWords(pair).length
    ? clear('opposite-elsewhere', wordsDiffer('Scopes', scope))
    : null
}

const COUNTS: ReadonlyMap<string, number> = new Map(
  'one two three four five six seven eight nine ten'.split(' ').map((word, i) => [word, i + 1]),
)
const MEASURED_IN = /^(degrees?|celsius|points?)$/

/** The noun that a number counts: "two children". */
function countedNoun(analysis: Analysis, amount: number, raw: string): Token | undefined {
  const number = analysis.tokens.find(
    (token) =>
      token.valueLike &&
      (parseFloat(token.text.replaceAll(',', '')) === amount || COUNTS.get(token.text) === amount || raw.startsWith(token.text)),
  )
  if (!number) return undefined
  for (const token of analysis.tokens.slice(number.index + 1, number.index + 4)) {
    if (token.clause !== number.clause) return undefined
    if (token.content) return token.text.length > 2 && !MEASURED_IN.test(token.text) ? token : undefined
    if (!token.valueLike && !/^(of|other|new)$/.test(token.text)) return undefined
  }
  return undefined
}

export function countsAnother({ a, b, matches, predicate, similarity }: Comparison): Evidence | null {
  const others = predicate.values.filter(([x, y]) => {
    if (x.kind !== y.kind || !('amount' in x) || !('amount' in y) || x.kind === 'ordinal') return false
    const [noun, otherNoun] = [countedNoun(a, x.amount, x.raw), countedNoun(b, y.amount, y.raw)]
    return (
      noun &&
      otherNoun &&
      noun.lemma !== otherNoun.lemma &&
      !synonymy(noun, otherNoun) &&
      !matches.some((match) => match.a === noun && match.b === otherNoun)
    )
  })
  return others.length > 0 && others.length === predicate.values.length && similarity < 0.92
    ? clear('counted-noun', 'They count different things.')
    : null
}

const MANY_VALUED =
  /^(handles?|likes?|speaks?|plays?|knows?|supports?|covers?|visits?|reads?|enjoys?|collects?|stud(y|ies)|teach(es)?|includes?|loves?|owns?|attends?|manages?|maintains?)$/

/** One can like two things: another object is no other value. */
export function manyValued({ a, b, predicate }: Comparison): Evidence | null {
  const [verb, otherVerb] = [a.tokens[a.predicate], b.tokens[b.predicate]]
  if (!verb || verb.lemma !== otherVerb?.lemma || !MANY_VALUED.test(verb.text)) return null
  const { words, values, polarity, opposites, exclusive } = predicate
  return words.length &&
    !values.length &&
    !polarity.length &&
    !opposites.length &&
    !exclusive.length &&
    !/\b(only|just|exclusively)\b/.test(lower(a) + lower(b))
    ? clear('many-valued', 'Both can hold at once.')
    : null
}

const TIME_SCOPE =
  /\b(last|this|next|previous|current|past|coming|former|formerly|before|after|until|since|previously|originally|was|were|had|used to|yesterday|tomorrow|today|now|currently)\b/g

/** Another date and another value: how it was then, and how it was at another time. */
export function otherTime({ a, b, values, predicate, opposites }: Comparison): Evidence | null {
  const dates = values.differing.filter(([x]) => x.kind === 'date' || x.kind === 'quarter').length
  if (dates > 0 && values.differing.length > dates) return clear('time', 'They speak of different times.')
  const scopes = (analysis: Analysis) => new Set(lower(analysis).match(TIME_SCOPE) ?? [])
  const [x, y] = [scopes(a), scopes(b)]
  const differ =
    [...x].some((word) => !y.has(word)) &&
    [...y].some((word) => !x.has(word)) &&
    /last|this|next|previous|former|before|after/.test([...x, ...y].join(' '))
  const more = values.differing.length > 0 || predicate.words.length > 1
  const lone = !values.differing.length && opposites.length === 1 && predicate.opposites.length === 1
  return differ && more && !dates && !lone && /\b(last|this|next|previous)\b/.test(lower(a))
    ? clear('time', 'They speak of different times.')
    : null
}
