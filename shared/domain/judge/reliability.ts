import type { Comparison } from './comparison.ts'
import type { Evidence } from './finding.ts'

/**
 * How often a rule is right. `alone` is what the judge claims for a rule with nothing beside it: the mean over the
 * pairs the rules were tuned on and 8,229 pairs by other hands that they were not. `beside` is the second figure, and
 * weighs the rule against the relation model. Both are smoothed towards .6, rare rules most.
 */
interface Reliability {
  readonly alone: number
  readonly beside: number
}

const TABLE: Readonly<Record<string, readonly [alone: number, beside: number]>> = {
  'all-only': [0.71, 0.63],
  'anyone-only': [0.66, 0.52],
  attribute: [0.72, 0.56],
  beneficiary: [0.64, 0.58],
  'cjk-denial': [0.75, 0.6],
  'cjk-more': [0.65, 0.6],
  'cjk-replaced': [0.7, 0.6],
  'cjk-same': [0.7, 0.6],
  'cjk-subject': [0.75, 0.6],
  'cjk-unrelated': [0.5, 0.4],
  'cjk-value': [0.8, 0.6],
  'closed-list': [0.69, 0.57],
  condition: [0.78, 0.71],
  contained: [0.46, 0.43],
  'counted-noun': [0.63, 0.42],
  denial: [0.75, 0.57],
  environment: [0.9, 0.85],
  exception: [0.69, 0.58],
  exclusive: [0.74, 0.53],
  'function-word': [0.67, 0.43],
  hedge: [0.65, 0.59],
  identifier: [0.7, 0.55],
  'many-valued': [0.69, 0.59],
  measure: [0.59, 0.38],
  'more-said': [0.88, 0.81],
  name: [0.78, 0.59],
  negation: [0.59, 0.38],
  'noun-before-value': [0.6, 0.46],
  obligation: [0.71, 0.57],
  'opening-period': [0.75, 0.66],
  opposite: [0.75, 0.56],
  'opposite-elsewhere': [0.71, 0.57],
  'other-script': [0.5, 0.4],
  otherwise: [0.38, 0.31],
  place: [0.68, 0.68],
  possessive: [0.81, 0.68],
  'replaced-word': [0.55, 0.38],
  reporting: [0.72, 0.59],
  'required-without': [0.71, 0.54],
  restatement: [0.72, 0.55],
  'still-gone': [0.72, 0.56],
  subject: [0.86, 0.75],
  'swapped-roles': [0.75, 0.58],
  time: [0.71, 0.54],
  unrelated: [0.8, 0.68],
  value: [0.79, 0.62],
}

const UNKNOWN: Reliability = { alone: 0.6, beside: 0.6 }

/** Words that found no counterpart, and what each number of them does to a rule's chance of being right. */
const LOOSE_WORDS: readonly (readonly [from: number, change: number])[] = [
  [5, -0.1],
  [3, -0.04],
  [1, 0],
  [0, 0.1],
]
/** Claims said to be one fact: a value that only one of them names, and values that all agree. */
const VALUE_ON_ONE_SIDE = -0.18
const VALUES_AGREE = 0.08
const [LEAST, MOST] = [0.25, 0.95]

function adjustment({ finding }: Evidence, pair: Comparison): number {
  const loose = pair.onlyA.length + pair.onlyB.length + pair.substitutions.length
  const change = LOOSE_WORDS.find(([from]) => loose >= from)?.[1] ?? 0
  if (finding !== 'restates') return change
  const { equal, onlyA, onlyB } = pair.values
  return change + (onlyA.length + onlyB.length > 0 ? VALUE_ON_ONE_SIDE : equal.length > 0 ? VALUES_AGREE : 0)
}

/** How reliable the evidence of a rule is for this pair of claims. */
export function reliabilityOf(evidence: Evidence, pair: Comparison | null): Reliability {
  const row = TABLE[evidence.rule]
  const { alone, beside } = row ? { alone: row[0], beside: row[1] } : UNKNOWN
  const change = pair ? adjustment(evidence, pair) : 0
  const bounded = (value: number) => Math.min(MOST, Math.max(LEAST, value + change))
  return { alone: bounded(alone), beside: bounded(beside) }
}
