import { describe, expect, it } from 'vitest'
import { offerFor } from '../../../../renderer/screens/write/form-actions.ts'
import {
  findingOf,
  fromError,
  savesAtOnce,
  type Answer,
  type Finding,
  type Judgement,
} from '../../../../renderer/screens/write/judgement.ts'

const calm = { revising: false, moved: false, saving: false }
const answer = (over: Partial<Answer>): Answer =>
  ({ conflict_verdict: 'clear', peers: [], memory_id: '', degraded: [], merged_into_key: '', ...over }) as Answer
const peer = {
  memory_key: 'a',
  memory_id: 'peer-1',
  excerpt: '',
  similarity: 1,
  relation: 'contradicts',
  reason: '',
  confidence: 1,
  status: 'active',
} as const
const judged = (finding: Finding): Judgement => ({ kind: 'judged', finding, answer: answer({ peers: [peer] }) })

describe('what the form offers', () => {
  it('never offers to save while something stands against it', () => {
    const against: Judgement[] = [{ kind: 'empty' }, { kind: 'invalid', problems: { key: 'bad' } }, { kind: 'refused', message: 'blocked' }]
    for (const judgement of against) {
      const offer = offerFor(judgement, calm)
      expect(offer.main.disabled, judgement.kind).toBe(true)
      expect(offer.allTheSame, judgement.kind).toBeUndefined()
    }
  })

  it('makes the accent action of a secret the one that takes it out', () => {
    const offer = offerFor({ kind: 'secret' }, calm)
    expect(offer.main.act).toEqual({ do: 'take the secret out' })
    expect(offer.allTheSame?.act).toEqual({ do: 'save sensitive' })
  })

  it.each([
    ['clear', 'save'],
    ['refines', 'save'],
    ['conflict', 'save'],
    ['duplicate', 'open'],
    ['merge', 'open'],
    ['rejected', 'open'],
    ['same', 'close'],
  ] as const)('offers for %s: %s', (finding, act) => {
    expect(offerFor(judged(finding), calm).main.act.do).toBe(act)
  })

  it('offers to update the peer of a conflict, but not from within an edit', () => {
    expect(offerFor(judged('conflict'), calm).updateThat?.act).toEqual({ do: 'update instead', id: 'peer-1' })
    expect(offerFor(judged('conflict'), { ...calm, revising: true }).updateThat).toBeUndefined()
  })

  it('does not save twice at once', () => {
    expect(offerFor(judged('clear'), { ...calm, saving: true }).main.disabled).toBe(true)
  })
})

describe('judgements', () => {
  it('reads a finding from the verdict and the peers', () => {
    expect(findingOf(answer({}), false)).toBe('clear')
    expect(findingOf(answer({ peers: [{ ...peer, relation: 'refines' }] }), false)).toBe('refines')
    expect(findingOf(answer({ conflict_verdict: 'merge' }), false)).toBe('merge')
    expect(findingOf(answer({ conflict_verdict: 'conflict' }), true)).toBe('same')
  })

  it('saves by itself after the check only where there is nothing to think about', () => {
    expect(
      (['clear', 'refines', 'duplicate', 'merge', 'conflict', 'rejected', 'same'] as const).filter((finding) =>
        savesAtOnce(judged(finding)),
      ),
    ).toEqual(['clear', 'refines'])
  })

  it('tells a refusal from a failure on the way', () => {
    expect(fromError(Object.assign(new Error('no'), { code: 'LOCKED' })).kind).toBe('refused')
    expect(fromError(Object.assign(new Error('gone'), { code: 'UNAVAILABLE' })).kind).toBe('failed')
  })
})
