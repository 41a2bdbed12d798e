import type { Analysis } from './analyse.ts'
import { combine, type Relation } from './combine.ts'
import type { Comparison } from './comparison.ts'
import { differentEnvironments } from './environments.ts'
import type { Finding } from './finding.ts'
import { wordOverlap } from './overlap.ts'
import { reasonFor } from './reasons.ts'
import { reliabilityOf } from './reliability.ts'
import { applyRules, type RuleFindings } from './rules.ts'

export type { Finding } from './finding.ts'
export type { Relation } from './combine.ts'

/** What the judge finds between a new claim and one peer. */
export interface Judgement {
  finding: Finding
  /** 0 to 1: how often such a finding is right. */
  confidence: number
  /** One sentence for a person. */
  reason: string
  /** Names of the rules that came to this finding, the deciding one first; `relation-model` where none did. */
  rules: string[]
  /** Of `refines`: the peer says more, and the new claim adds nothing to it. */
  vaguer?: true
  /** Whether a confidence is too low to act on is the namespace's to say, not the judge's. */
  unsure?: never
}

const OTHER_ENVIRONMENT: Judgement = {
  finding: 'clear',
  confidence: 1,
  reason: 'The keys name different environments.',
  rules: ['key-environment'],
}
const SAME_TEXT: Judgement = { finding: 'same', confidence: 1, reason: 'The same text.', rules: ['canonical'] }

/** What needs no weighing: keys of two environments, or one canonical text. */
function decideOutright(a: Analysis, b: Analysis): Judgement | null {
  if (differentEnvironments(a.key, b.key)) return OTHER_ENVIRONMENT
  return a.canonical === b.canonical ? SAME_TEXT : null
}

/** Two claims as the rules see them, before anybody has asked a relation model. */
export interface Weighing {
  /** False: the judgement is settled without a relation model. */
  readonly asks: boolean
  /** @param relation what the relation model says of the pair, or null: the rules go on alone */
  judge(relation: Relation | null): Judgement
}

/**
 * Sets a new claim `a` beside a peer `b`: pure, and the same for the same input. The rules are asked once, whatever a
 * model then says.
 * @param similarity cosine of the claims' vectors, or `wordOverlap` where there are none
 */
export function weigh(a: Analysis, b: Analysis, similarity: number): Weighing {
  const outright = decideOutright(a, b)
  if (outright) return { asks: false, judge: () => ({ ...outright, rules: [...outright.rules] }) }
  const heard = heardSimilarity(a, b, similarity)
  const findings = applyRules(a, b, heard)
  return { asks: !findings.settled, judge: (relation) => judgementOf(findings, relation, heard) }
}

/**
 * In a script of which the shipped embedder knows the letters alone, any two claims are near (12 facts in Arabic about 12 things: .72 to .86,
 * and 8 of them called one fact): there the vectors count for no more than the words.
 */
function heardSimilarity(a: Analysis, b: Analysis, similarity: number): number {
  return a.script === 'other' && b.script === 'other' ? Math.min(similarity, wordOverlap(a, b)) : similarity
}

function judgementOf(findings: RuleFindings, relation: Relation | null, similarity: number): Judgement {
  const [deciding] = findings.evidence
  const { finding, confidence } =
    relation && !findings.settled
      ? combine(findings, relation, similarity)
      : { finding: deciding.finding, confidence: reliabilityOf(deciding, findings.pair).alone }
  const supporting = findings.evidence.filter((found) => found.finding === finding).map(({ rule }) => rule)
  return {
    finding,
    confidence,
    reason: reasonFor(finding, findings),
    rules: supporting.length ? supporting : ['relation-model'],
    ...(finding === 'refines' && saysLess(findings.pair) && { vaguer: true }),
  }
}

/**
 * Judges a new claim `a` against a peer `b`: pure, and the same for the same input.
 * @param evidence.similarity cosine of the claims' vectors, or `wordOverlap` where there are none
 * @param evidence.relation what the relation model says of the pair, or null: the rules go on alone
 */
export function judge(a: Analysis, b: Analysis, evidence: { similarity: number; relation: Relation | null }): Judgement {
  return weigh(a, b, evidence.similarity).judge(evidence.relation)
}

/** Nothing in the new claim is without a counterpart, and something in the peer is. */
function saysLess(pair: Comparison | null): boolean {
  if (pair === null || pair.substitutions.length > 0) return false
  return pair.onlyA.length + pair.values.onlyA.length === 0 && pair.onlyB.length + pair.values.onlyB.length > 0
}

/**
 * False when the judgement is settled without a relation model: one canonical text, keys or words of two environments,
 * scripts and unnamed subjects that the model does not know, claims of unlike things. Saves the model's call.
 */
export function needsRelation(a: Analysis, b: Analysis, similarity: number): boolean {
  return weigh(a, b, similarity).asks
}
