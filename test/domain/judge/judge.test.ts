import { describe, expect, it } from 'vitest'
import { analyse } from '../../../shared/domain/judge/analyse.ts'
import { judge, needsRelation, weigh, type Relation } from '../../../shared/domain/judge/judge.ts'
import { wordOverlap } from '../../../shared/domain/judge/overlap.ts'
import { JUDGE_VERSION } from '../../../shared/domain/judge/version.ts'

const claim = (key: string, text: string) => analyse({ key, text })
const sure = (relation: keyof Relation): Relation => ({ duplicate: 0.01, refines: 0.01, conflict: 0.01, clear: 0.01, [relation]: 0.97 })

const documented = claim('ops/deploys', 'Production deploys run Monday to Thursday.')
const peer = claim('deploy/window/prod', 'Production deploys run Tuesday and Thursday only; never Friday.')

describe('judge', () => {
  it('weighs a pair once, and judges it by whatever the model then says', () => {
    const weighing = weigh(documented, peer, 0.9)
    expect(weighing.asks).toBe(true)
    for (const relation of [null, sure('conflict'), null, sure('clear')])
      expect(weighing.judge(relation)).toEqual(judge(documented, peer, { similarity: 0.9, relation }))
    const outright = weigh(documented, claim('other', documented.plain), 0)
    expect(outright.asks).toBe(false)
    outright.judge(null).rules.push('of this answer alone')
    expect(outright.judge(sure('conflict'))).toMatchObject({ finding: 'same', rules: ['canonical'] })
  })

  it.each([
    ['with the relation model', { duplicate: 0.01, refines: 0.003, conflict: 0.98, clear: 0.007 }],
    ['with no model', null],
  ])('finds the documented deploy claims to contradict, %s', (_, relation) => {
    for (const similarity of [wordOverlap(documented, peer), 0.93]) {
      const judgement = judge(documented, peer, { similarity, relation })
      expect(judgement.finding).toBe('contradicts')
      expect(judgement.confidence).toBeGreaterThan(0.6)
      expect(judgement.reason).toBe('Days differ: Tuesday, Thursday against Monday to Thursday.')
      expect(judgement.rules[0]).toBe('value')
    }
  })

  it('calls one canonical text the same, whatever model and similarity say', () => {
    const same = claim('x', '  production DEPLOYS run “Monday” to Thursday ')
    for (const relation of [null, sure('conflict'), sure('clear')]) {
      expect(judge(documented, same, { similarity: 0, relation })).toMatchObject({ finding: 'same', confidence: 1 })
    }
    expect(needsRelation(documented, same, 1)).toBe(false)
  })

  it('calls nothing else the same, however alike', () => {
    const alike = claim('y', 'Production deploys run Monday thru Thursday.')
    expect(judge(documented, alike, { similarity: 1, relation: sure('duplicate') }).finding).toBe('restates')
  })

  it('leaves keys of two environments clear, one text or not', () => {
    const [prod, staging] = [claim('pool/prod', 'The pool has 20 connections.'), claim('pool/staging', 'The pool has 20 connections.')]
    const other = claim('pool/staging', 'The pool has 30 connections.')
    for (const b of [staging, other]) {
      expect(judge(prod, b, { similarity: 1, relation: sure('conflict') })).toMatchObject({ finding: 'clear', confidence: 1 })
      expect(needsRelation(prod, b, 1)).toBe(false)
    }
  })

  it('leaves words of two environments clear, whatever the model says', () => {
    const [a, b] = [claim('a', 'The staging pool has 20 connections.'), claim('b', 'The production pool has 30 connections.')]
    expect(judge(a, b, { similarity: 0.95, relation: sure('conflict') }).finding).toBe('clear')
    expect(needsRelation(a, b, 0.95)).toBe(false)
  })

  it('leaves what only its number tells apart clear, whatever the model says', () => {
    const window = (cluster: number, hour: number) => `The maintenance window of cluster number ${cluster} starts at ${hour}:00.`
    const sure = { duplicate: 0, refines: 0, conflict: 1, clear: 0 }
    const found = (a: string, b: string) => judge(claim('a', a), claim('b', b), { similarity: 0.9, relation: sure }).finding
    expect(found(window(58, 4), window(56, 2))).toBe('clear')
    expect(needsRelation(claim('a', window(58, 4)), claim('b', window(56, 2)), 0.9)).toBe(false)
    expect(found('Meeting room 4 is locked at night.', 'Meeting room 12 is open at night.')).toBe('clear')
    expect(found('Node 18 is the runtime.', 'Node 20 is the runtime.')).toBe('contradicts')
    expect(found(window(58, 4), window(58, 2))).toBe('contradicts')
    expect(found('The team of 4 meets daily.', 'The squad of 5 meets daily.')).toBe('contradicts')
  })

  it('tests contradiction before sameness: likeness never hides a changed value', () => {
    const [a, b] = [claim('a', 'The retry limit of the import job is 5.'), claim('b', 'The retry limit of the import job is 6.')]
    expect(judge(a, b, { similarity: 0.999, relation: null })).toMatchObject({
      finding: 'contradicts',
      reason: 'Numbers differ: 6 against 5.',
    })
  })

  it('asks the model where the rules leave room, and follows it', () => {
    const [a, b] = [claim('a', 'The mobile app works offline.'), claim('b', 'The mobile app needs a network connection at all times.')]
    expect(needsRelation(a, b, 0.62)).toBe(true)
    expect(judge(a, b, { similarity: 0.62, relation: sure('conflict') })).toMatchObject({ finding: 'contradicts' })
    expect(judge(a, b, { similarity: 0.62, relation: null }).finding).not.toBe('contradicts')
  })

  it('is surer where rules and model agree than where they differ', () => {
    const relation = { duplicate: 0.1, refines: 0.1, conflict: 0.7, clear: 0.1 }
    const agreed = judge(documented, peer, { similarity: 0.9, relation })
    const differing = judge(documented, peer, { similarity: 0.9, relation: { ...relation, conflict: 0.1, clear: 0.7 } })
    expect(agreed.confidence).toBeGreaterThan(relation.conflict)
    expect(differing.confidence).toBeLessThan(relation.conflict)
  })

  it('leaves other scripts and unnamed subjects to the rules', () => {
    const pairs = [
      [claim('a', '서버는 포트 8080에서 동작합니다'), claim('b', '서버는 포트 9090에서 동작합니다')],
      [claim('a', 'Сервер работает на порту 8080'), claim('b', 'Сервер работает на порту 9090')],
      [claim('a', 'A man is playing a guitar'), claim('b', 'A man is not playing a guitar')],
    ] as const
    for (const [a, b] of pairs) {
      const similarity = wordOverlap(a, b)
      expect(needsRelation(a, b, similarity)).toBe(false)
      expect(judge(a, b, { similarity, relation: sure('clear') })).toEqual(judge(a, b, { similarity, relation: null }))
      expect(judge(a, b, { similarity, relation: null }).finding).toBe('contradicts')
    }
  })

  it('asks the model about Japanese and Chinese, where the rules see no more than letters', () => {
    const [a, b] = [claim('a', '定例会議は毎週火曜日の午後3時からです'), claim('b', '毎週火曜の15時から定例会議があります')]
    expect(judge(a, b, { similarity: 0.86, relation: null })).toMatchObject({ finding: 'clear', rules: ['cjk-unrelated'] })
    expect(needsRelation(a, b, 0.86)).toBe(true)
    expect(judge(a, b, { similarity: 0.86, relation: sure('duplicate') })).toMatchObject({ finding: 'restates' })
  })

  it('survives a model that answers no probabilities', () => {
    const broken = { duplicate: NaN, refines: NaN, conflict: NaN, clear: NaN }
    expect(judge(documented, peer, { similarity: 0.9, relation: broken })).toMatchObject({ finding: 'contradicts' })
  })

  it('says in words what sets the claims apart', () => {
    const reason = (a: string, b: string) => {
      const [x, y] = [claim('a', a), claim('b', b)]
      return judge(x, y, { similarity: wordOverlap(x, y), relation: null }).reason
    }
    expect(reason('Marta lives in Porto.', 'Marta lives in Lisbon.')).toBe('Names differ: Lisbon against Porto.')
    expect(reason('The store opens at 9am.', 'The store opens at 10:30.')).toBe('Times differ: 10:30 against 9:00.')
    expect(reason('Backups run every day.', 'Backups run every week.')).toBe('Frequencies differ: every week against every day.')
    expect(reason('Hana is left-handed.', 'Hana is right-handed.')).toBe('Opposites: right-handed against left-handed.')
    expect(reason('Petra mentors Lars.', 'Lars mentors Petra.')).toBe('The roles of Petra and Lars are swapped.')
  })

  it('carries the version of the judge in each analysis', () => {
    expect(documented.version).toBe(JUDGE_VERSION)
  })
})

describe('wordOverlap', () => {
  it('is 1 for one text, near 0 for nothing shared, and symmetric', () => {
    const [a, b] = [claim('a', 'The oven is a Siemens.'), claim('b', 'Quarterly numbers go up')]
    expect(wordOverlap(a, a)).toBe(1)
    expect(wordOverlap(a, b)).toBeLessThan(0.35)
    expect(wordOverlap(documented, peer)).toBeCloseTo(wordOverlap(peer, documented), 12)
    expect(wordOverlap(documented, peer)).toBeGreaterThan(0.6)
    expect(wordOverlap(claim('', ''), claim('', 'x'))).toBe(0)
  })
})

it('[VER019] tells the claim that adds from the one that only says less', () => {
  const full = analyse({ key: '', text: 'The nightly backup starts at 02:00 and is copied to a second site.' })
  const vague = analyse({ key: '', text: 'The nightly backup starts at 02:00.' })
  const relation = { duplicate: 0.05, refines: 0.9, conflict: 0.02, clear: 0.03 }
  const adds = judge(full, vague, { similarity: 0.85, relation })
  const less = judge(vague, full, { similarity: 0.85, relation })
  expect([adds.finding, adds.vaguer]).toEqual(['refines', undefined])
  expect([less.finding, less.vaguer]).toEqual(['refines', true])
})
