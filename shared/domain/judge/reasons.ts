import { type Comparison, isNounLike } from './comparison.ts'
import type { Finding } from './finding.ts'
import type { RuleFindings } from './rules.ts'
import { adds, denied, valuesDiffer, wordsDiffer } from './wording.ts'

/** Words for a finding that the relation model reached and no rule explains. */

function contradiction({ values, opposites, polarityClashes, substitutions }: Comparison): string {
  const value = values.differing[0]
  if (value) return valuesDiffer(value)
  const opposite = opposites[0]
  if (opposite) return `Opposites: ${opposite.b.raw} against ${opposite.a.raw}.`
  if (polarityClashes[0]) return denied(polarityClashes[0].a)
  const replaced = substitutions.find(({ a, b }) => isNounLike(a) && isNounLike(b) && a.region === b.region)
  return replaced ? wordsDiffer('Values', replaced) : 'They say different things of the same subject.'
}

function refinement({ onlyA, onlyB, values }: Comparison): string {
  const [more, less] = [onlyA.length + values.onlyA.length, onlyB.length + values.onlyB.length]
  if (more + less === 0) return 'One says more than the other.'
  return more >= less ? `The new claim adds ${adds(onlyA, values.onlyA)}.` : `The peer already says more: ${adds(onlyB, values.onlyB)}.`
}

/** The reason of the first rule that came to this finding, else what sets the claims apart. */
export function reasonFor(finding: Finding, { evidence, pair }: RuleFindings): string {
  const rule = evidence.find((found) => found.finding === finding)
  if (rule) return rule.reason
  switch (finding) {
    case 'contradicts':
      return pair ? contradiction(pair) : 'They say different things of the same subject.'
    case 'refines':
      return pair ? refinement(pair) : 'One says more than the other.'
    case 'restates':
    case 'same':
      return 'Same fact in other words.'
    case 'clear':
      return 'Both can hold: they do not speak of the same thing.'
  }
}
