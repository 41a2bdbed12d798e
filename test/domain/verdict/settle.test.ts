import { describe, expect, it } from 'vitest'
import { settle, type Finding, type JudgedPeer, type Policy } from '../../../shared/domain/verdict/settle.ts'

const peer = (finding: Finding, more: Partial<JudgedPeer> = {}): JudgedPeer => ({
  memoryId: `id-${finding}`,
  memoryKey: `key-${finding}`,
  finding,
  confidence: 0.9,
  vaguer: false,
  pinned: false,
  locked: false,
  sameKey: false,
  runId: '',
  ...more,
})
const decide = (peers: JudgedPeer[], policy: Policy = 'flag', runId = '') => settle(peers, { policy, runId, minConfidence: 0.6 })

describe('settle', () => {
  it.each<[Policy, Finding, string, string | null, number, number]>([
    ['flag', 'clear', 'clear', 'active', 0, 0],
    ['flag', 'same', 'merge', null, 0, 0],
    ['flag', 'restates', 'duplicate', 'duplicate', 0, 1],
    ['flag', 'refines', 'clear', 'active', 0, 0],
    ['flag', 'contradicts', 'conflict', 'conflicted', 0, 1],
    ['newest_wins', 'same', 'merge', null, 0, 0],
    ['newest_wins', 'restates', 'duplicate', 'duplicate', 0, 1],
    ['newest_wins', 'refines', 'clear', 'active', 1, 0],
    ['newest_wins', 'contradicts', 'clear', 'active', 1, 0],
    ['keep_existing', 'refines', 'clear', 'active', 0, 0],
    ['keep_existing', 'contradicts', 'conflict', 'conflicted', 0, 1],
  ])('%s: %s becomes %s, stored %s', (policy, finding, verdict, status, retires, opens) => {
    const settled = decide([peer(finding)], policy)
    expect([settled.verdict, settled.status, settled.retires.length, settled.opens.length]).toEqual([verdict, status, retires, opens])
  })

  it('[VER019] a newer claim that says less than its peer retires nothing, whatever the policy', () => {
    const settled = decide([peer('refines', { vaguer: true }), peer('refines', { memoryId: 'other' })], 'newest_wins')
    expect(settled.retires.map((retired) => retired.memoryId)).toEqual(['other'])
    expect(decide([peer('refines', { vaguer: true })], 'newest_wins')).toMatchObject({ verdict: 'clear', status: 'active', retires: [] })
  })

  it('answers merge before rejected before conflict before duplicate', () => {
    const all = [peer('restates'), peer('contradicts'), peer('contradicts', { pinned: true, memoryId: 'pin' }), peer('same')]
    expect(decide(all).verdict).toBe('merge')
    expect(decide(all.slice(0, 3)).verdict).toBe('rejected')
    expect(decide(all.slice(0, 2)).verdict).toBe('conflict')
    expect(decide(all.slice(0, 1)).verdict).toBe('duplicate')
  })

  it('rejects only by a pinned row of another key', () => {
    expect(decide([peer('contradicts', { pinned: true })]).verdict).toBe('rejected')
    expect(decide([peer('restates', { pinned: true })]).verdict).toBe('rejected')
    expect(decide([peer('refines', { pinned: true })]).verdict).toBe('clear')
    expect(decide([peer('contradicts', { pinned: true, sameKey: true })]).verdict).toBe('conflict')
  })

  it('lets an unsure finding retire and refuse nothing', () => {
    const unsure = { confidence: 0.5 }
    expect(decide([peer('contradicts', { ...unsure, pinned: true })])).toMatchObject({ verdict: 'conflict', status: 'conflicted' })
    expect(decide([peer('contradicts', unsure)], 'newest_wins')).toMatchObject({ verdict: 'conflict', retires: [] })
    const twin = decide([peer('restates', unsure)])
    expect(twin).toMatchObject({ verdict: 'clear', status: 'active' })
    expect(twin.opens).toEqual([{ peer: expect.anything(), kind: 'duplicate', unsure: true }])
  })

  it('stores an equal claim of another run, or of another identity of the key, as a duplicate', () => {
    expect(decide([peer('same', { runId: 'r1' })], 'flag', 'r2').verdict).toBe('duplicate')
    expect(decide([peer('same', { runId: 'r1' })], 'flag', 'r1').verdict).toBe('merge')
    expect(decide([peer('same', { runId: 'r1' })]).verdict).toBe('merge')
    expect(decide([peer('same', { sameKey: true })]).verdict).toBe('duplicate')
  })

  it('flags a locked row instead of retiring it', () => {
    expect(decide([peer('contradicts', { locked: true })], 'newest_wins')).toMatchObject({ verdict: 'conflict', retires: [] })
  })
})
