import { describe, expect, it } from 'vitest'
import { analyse } from '../../../shared/domain/judge/analyse.ts'
import { judge, needsRelation, type Finding, type Judgement } from '../../../shared/domain/judge/judge.ts'
import { wordOverlap } from '../../../shared/domain/judge/overlap.ts'
import { labelledPairs, type LabelledPair } from './pairs.ts'

const VERDICT: Readonly<Record<Finding, string>> = {
  same: 'merge',
  restates: 'duplicate',
  refines: 'refines',
  contradicts: 'conflict',
  clear: 'clear',
}

const pairs = labelledPairs()
const claims = pairs.map(({ a, b }) => [analyse({ key: a.key, text: a.value }), analyse({ key: b.key, text: b.value })] as const)

function figures(answer: (pair: LabelledPair, i: number) => Judgement) {
  const answers = pairs.map((pair, i) => ({ ...pair, ...answer(pair, i) }))
  const verdict = ({ finding }: { finding: Finding }) => VERDICT[finding]
  const share = (some: readonly unknown[], all: readonly unknown[]) => some.length / all.length
  const labelled = (label: string) => answers.filter((pair) => pair.label === label)
  const right = (some: typeof answers) =>
    share(
      some.filter((pair) => pair.accept.includes(verdict(pair))),
      some,
    )
  const surest = [...answers].sort((x, y) => y.confidence - x.confidence)
  return {
    accuracy: right(answers),
    surestHalf: right(surest.slice(0, answers.length / 2)),
    falseMerges: answers.filter((pair) => verdict(pair) === 'merge' && !pair.accept.includes('merge')).map(({ id }) => id),
    mergeRecall: share(
      labelled('merge').filter((pair) => verdict(pair) === 'merge'),
      labelled('merge'),
    ),
    falseConflicts: share(
      labelled('clear').filter((pair) => verdict(pair) === 'conflict'),
      labelled('clear'),
    ),
    missedConflicts: share(
      labelled('conflict').filter((pair) => verdict(pair) !== 'conflict'),
      labelled('conflict'),
    ),
  }
}

function claimsOf(i: number) {
  const found = claims[i]
  if (!found) throw new Error(`no pair ${i}`)
  return found
}

describe('our own labelled pairs', () => {
  it('keep their floor under the rules alone: no false merge, every merge found, 87% right', () => {
    const reached = figures(({ similarity }, i) => judge(...claimsOf(i), { similarity, relation: null }))
    expect(reached.falseMerges).toEqual([])
    expect(reached.mergeRecall).toBe(1)
    expect(reached.accuracy).toBeGreaterThan(0.875)
    expect(reached.falseConflicts).toBeLessThan(0.04)
    expect(reached.missedConflicts).toBeLessThan(0.23)
    expect(reached.surestHalf).toBeGreaterThan(0.95)
  })

  it('keep a floor with no vectors either, by word overlap', () => {
    const reached = figures((_, i) => judge(...claimsOf(i), { similarity: wordOverlap(...claimsOf(i)), relation: null }))
    expect(reached.falseMerges).toEqual([])
    expect(reached.mergeRecall).toBe(1)
    expect(reached.accuracy).toBeGreaterThan(0.86)
  })

  it('keep their floor with the relation model, which the combination must not spoil', () => {
    const reached = figures(({ similarity, relation }, i) => judge(...claimsOf(i), { similarity, relation }))
    expect(reached.falseMerges).toEqual([])
    expect(reached.mergeRecall).toBe(1)
    expect(reached.accuracy).toBeGreaterThan(0.965)
    expect(reached.falseConflicts).toBeLessThan(0.02)
    expect(reached.surestHalf).toBe(1)
  })

  it('are judged the same with a model that is not asked where it is not needed', () => {
    pairs.forEach(({ similarity, relation }, i) => {
      if (needsRelation(...claimsOf(i), similarity)) return
      const without = judge(...claimsOf(i), { similarity, relation: null })
      expect(judge(...claimsOf(i), { similarity, relation })).toEqual(without)
    })
  })

  it('take well under a millisecond each, analysis apart', () => {
    const started = performance.now()
    pairs.forEach(({ similarity }, i) => judge(...claimsOf(i), { similarity, relation: null }))
    expect((performance.now() - started) / pairs.length).toBeLessThan(1)
  })

  it('give a reason of one sentence and name the rules that fired', () => {
    pairs.forEach(({ similarity }, i) => {
      const { reason, rules, confidence } = judge(...claimsOf(i), { similarity, relation: null })
      expect(reason).toMatch(/^\p{Lu}.*\.$/u)
      expect(rules.length).toBeGreaterThan(0)
      expect(confidence).toBeGreaterThan(0)
      expect(confidence).toBeLessThanOrEqual(1)
    })
  })
})
