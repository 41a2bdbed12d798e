import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

describe('learning.record, queue and decide', () => {
  let loom: TestEngine
  let now = Date.parse('2026-11-30T12:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS, clock: () => now })
    await loom.call('memory.set', { memory_key: 'fall', value: 'The ladder slipped on wet tiles.' })
  })
  afterAll(() => loom.close())

  const record = (lesson: string, memory_key: string, more: object = {}) => {
    now += 1000
    return loom.call('learning.record', { lesson, memory_key, ...more })
  }
  const queue = (review: 'pending' | 'kept' | 'rejected' = 'pending') => loom.call('learning.queue', { review })
  const keys = async (review: 'pending' | 'kept' | 'rejected') => (await queue(review)).learnings.map((one) => one.row.memory_key)
  const decide = (memory_key: string, decision: 'keep' | 'reject') => loom.call('learning.decide', { memory_key, decision })

  it('is served at once, and waits apart from everything else that waits [PRO021]', async () => {
    const made = await record('Dry the tiles before the ladder goes up.', 'ladders', {
      situation: 'after rain',
      evidence: ['fall', 'nowhere'],
    })
    expect(made).toMatchObject({
      review: 'pending',
      status: 'active',
      advisories: ['evidence: no live row holds nowhere, so it is not linked.'],
    })
    expect(await loom.call('memory.get', { memory_key: 'ladders' })).toMatchObject({
      tags: ['learning'],
      value: { claim: 'Dry the tiles before the ladder goes up.', situation: 'after rain' },
    })
    await loom.call('memory.outcome', { memory_key: 'ladders', outcome: 'positive', weight: 2 })
    const { learnings, counts, next_cursor } = await queue()
    expect(learnings).toMatchObject([
      {
        row: { memory_key: 'ladders' },
        lesson: 'Dry the tiles before the ladder goes up.',
        situation: 'after rain',
        evidence: ['fall'],
        review: 'pending',
        reviewed_by: '',
        reviewed_at: null,
        used_count: 1,
        outcomes: { positive: 2, negative: 0 },
      },
    ])
    expect([counts, next_cursor]).toEqual([{ pending: 1, kept: 0, rejected: 0 }, null])
    expect((await loom.call('review.queue', {})).items).toEqual([])
  })

  it('is kept or rejected, and a new value waits again', async () => {
    await record('Label the breakers in the cellar.', 'breakers')
    expect(await decide('ladders', 'keep')).toEqual({ found: true, decided: true, reason: '', review: 'kept', status: 'active' })
    const [kept] = (await queue('kept')).learnings
    expect(kept).toMatchObject({ row: { memory_key: 'ladders' }, reviewed_by: 'human:local', reviewed_at: new Date(now).toISOString() })
    expect(await record('Dry the tiles before the ladder goes up.', 'ladders', { situation: 'after rain' })).toMatchObject({
      noop: true,
      review: 'kept',
    })
    expect(await record('Dry the tiles, and wear boots.', 'ladders')).toMatchObject({ review: 'pending' })
    await loom.call('memory.update', { memory_key: 'breakers', value: { claim: 'Label every breaker.', situation: '' } })
    expect(await keys('pending')).toEqual(['breakers', 'ladders'])

    expect(await decide('breakers', 'reject')).toMatchObject({ decided: true, review: 'rejected', status: 'rejected' })
    expect([await keys('pending'), await keys('rejected')]).toEqual([['ladders'], ['breakers']])
    expect((await queue()).counts).toEqual({ pending: 1, kept: 0, rejected: 1 })
    expect(
      (await loom.call('memory.search', { query: 'label every breaker', include_top_n_unmatched: 50 })).results.map(
        (hit) => hit.memory_key,
      ),
    ).not.toContain('breakers')
    expect(await decide('breakers', 'reject')).toMatchObject({ decided: true, status: 'rejected' })
    expect(await decide('breakers', 'keep')).toMatchObject({ decided: true, review: 'kept', status: 'active' })
    expect(await keys('kept')).toEqual(['breakers'])
  })

  it('says what is no learning, and what a lock refuses', async () => {
    expect(await decide('nowhere', 'keep')).toEqual({ found: false, decided: false, reason: 'not_found', review: null, status: '' })
    expect(await decide('fall', 'reject')).toEqual({
      found: true,
      decided: false,
      reason: 'not_a_learning',
      review: null,
      status: 'active',
    })
    await loom.call('memory.lock', { memory_key: 'ladders', mode: 'no_delete', reason: 'audit' })
    await refused(decide('ladders', 'reject'), 'LOCKED')
    expect(await decide('ladders', 'keep')).toMatchObject({ review: 'kept' })
  })

  it('goes with its fact to another key', async () => {
    await record('Salt the steps before dawn.', 'steps')
    await decide('steps', 'keep')
    await loom.call('memory.move', { memory_key: 'steps', to_key: 'winter/steps' })
    expect(await keys('kept')).toContain('winter/steps')
    expect(await decide('winter/steps', 'reject')).toMatchObject({ decided: true, status: 'rejected' })
  })

  it('[API031] shows a bound token its own alone, page by page', async () => {
    for (const n of [1, 2, 3]) await record(`Lesson ${n} of ada is about topic ${n}.`, `ada/${n}`, { user_id: 'ada' })
    const claims = { ...localClaims('process', 'bot'), grants: { local: 'writer' as const }, user_id: 'ada' }
    const first = await loom.call('learning.queue', { limit: 2 }, { claims })
    expect(first.learnings.map((one) => one.row.memory_key)).toEqual(['ada/3', 'ada/2'])
    expect(first.counts).toEqual({ pending: 3, kept: 0, rejected: 0 })
    const rest = await loom.call('learning.queue', { limit: 2, cursor: first.next_cursor ?? '' }, { claims })
    expect(rest.learnings.map((one) => one.row.memory_key)).toEqual(['ada/1'])
    expect(await loom.call('learning.decide', { memory_key: 'ladders', decision: 'keep' }, { claims })).toMatchObject({ found: false })
  })
})
