import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAtSentence, fillPack, packText } from '../../../shared/domain/pack/fill.ts'
import { tokensOf } from '../../../shared/domain/pack/tokens.ts'

const text = fc.array(fc.constantFrom('The pump leaks.', 'It is red!', '水は青い。', 'Ada fixed it on 3 May.', 'no end'), {
  minLength: 1,
  maxLength: 30,
})
const item = fc.tuple(fc.string({ minLength: 1, maxLength: 12 }), text).map(([ref, parts]) => ({ ref, title: ref, text: parts.join(' ') }))
const group = fc.array(item, { minLength: 1, maxLength: 3 })
const section = fc.constantFrom('pinned', 'profile', 'memories', 'runs')
const sections = fc.uniqueArray(fc.record({ name: section, groups: fc.array(group, { maxLength: 8 }) }), {
  selector: (one) => one.name,
  maxLength: 4,
})

describe('fillPack', () => {
  it('never exceeds the budget, pinned never a quarter, and groups are whole or out', () => {
    fc.assert(
      fc.property(sections, fc.integer({ min: 20, max: 600 }), (given, budget) => {
        const filled = fillPack(given, budget)
        expect(tokensOf(packText(filled))).toBeLessThanOrEqual(budget)
        const pinned = filled.find(({ name }) => name === 'pinned')
        if (pinned) expect(tokensOf(packText([pinned]))).toBeLessThanOrEqual(Math.ceil(budget / 4))
        for (const { name, items, elided } of filled) {
          const own = given.find((one) => one.name === name)?.groups ?? []
          expect(items.length + elided).toBe(own.flat().length)
          for (const one of own.filter(({ length }) => length > 1)) {
            const inside = one.filter((member) => items.includes(member)).length
            expect([0, one.length]).toContain(inside)
          }
        }
        expect(fillPack(given, budget)).toEqual(filled)
      }),
      { numRuns: 300 },
    )
  })

  it('cuts at the end of a sentence, verbatim', () => {
    const said = 'The pump leaks. It is red! 水は青い。それは古い。 The rest'
    expect(cutAtSentence(said, (start) => start.length <= 30)).toBe('The pump leaks. It is red!')
    expect(cutAtSentence(said, () => false)).toBeNull()
    expect(cutAtSentence(said, () => true)).toBe(said)
  })

  it('gives what one section leaves to the others', () => {
    const many = (ref: string, count: number) =>
      Array.from({ length: count }, (_, nth) => [{ ref: `${ref}${nth}`, title: '', text: 'Twenty characters ok.' }])
    const [memories, runs] = fillPack(
      [
        { name: 'memories', groups: many('m', 50) },
        { name: 'runs', groups: many('r', 1) },
      ],
      400,
    )
    expect(runs?.items).toHaveLength(1)
    expect(tokensOf(packText([{ name: 'memories', items: memories?.items ?? [], elided: 0 }]))).toBeGreaterThan(300)
  })
})
