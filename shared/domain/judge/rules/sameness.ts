import type { PlacedValue } from '../analyse.ts'
import type { Comparison } from '../comparison.ts'
import type { Evidence } from '../finding.ts'
import type { Token } from '../tokens.ts'
import { adds } from '../wording.ts'

/** Rules for claims of the same fact, tried when nothing sets them apart or against each other. */

/** A claim about what may be says less than one about what is. */
export function hedged({ a, b, values, predicate, similarity, coverageMax }: Comparison): Evidence | null {
  if (a.hedged === b.hedged || values.differing.length || predicate.polarity.length) return null
  return similarity < 0.8 && coverageMax > 0.75
    ? { rule: 'hedge', finding: 'refines', reason: 'One says it outright, the other as a possibility.' }
    : null
}

/** Names, identifiers and values carry information; so do three words of any kind. */
function isInformative(words: readonly Token[], values: readonly PlacedValue[]): boolean {
  return values.length > 0 || words.some((token) => token.name || token.identifier) || words.length >= 3
}

const SAME_SIMILARITY = 0.72

function isSameFact({ similarity, coverage, coverageMax, values }: Comparison): boolean {
  const valuesAgree = values.equal.length > 0 && !values.onlyA.length && !values.onlyB.length
  return similarity > SAME_SIMILARITY || coverage > 0.6 || (coverageMax > 0.75 && similarity > 0.55) || (valuesAgree && similarity > 0.58)
}

export function moreSaid(pair: Comparison): Evidence | null {
  const { onlyA, onlyB, values, substitutions, coverageMax } = pair
  if (!isSameFact(pair)) return null
  const [extraA, extraB] = [onlyA.length + values.onlyA.length, onlyB.length + values.onlyB.length]
  const [words, added] = extraA ? [onlyA, values.onlyA] : [onlyB, values.onlyB]
  if (!isInformative(words, added)) return null
  const oneSided = (extraA >= 2 && extraB === 0) || (extraB >= 2 && extraA === 0)
  const nested = substitutions.length + Math.min(extraA, extraB) === 0 && extraA + extraB > 0
  if (!(oneSided && coverageMax > 0.7) && !(nested && coverageMax > 0.85)) return null
  const which = extraA ? 'The new claim adds' : 'The peer already says more:'
  return { rule: 'more-said', finding: 'refines', reason: `${which} ${adds(words, added)}.` }
}

export function restatement(pair: Comparison): Evidence | null {
  return isSameFact(pair) ? { rule: 'restatement', finding: 'restates', reason: 'Same fact in other words.' } : null
}

export function contained({ coverageMax, similarity }: Comparison): Evidence | null {
  return coverageMax > 0.7 && similarity > 0.5
    ? { rule: 'contained', finding: 'refines', reason: 'One claim is contained in the other.' }
    : null
}
