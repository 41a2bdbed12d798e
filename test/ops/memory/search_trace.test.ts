import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

describe('memory.search_trace', () => {
  let loom: TestEngine
  const now = Date.parse('2026-11-30T12:00:00Z')
  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const trace = (query: string, more: object = {}) => loom.call('memory.search_trace', { query, ...more })
  const expected = async (query: string, expect_key: string, more: object = {}) => (await trace(query, { expect_key, ...more })).expected

  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
    await set('deploy/window/prod', 'Production deploys run Tuesday and Thursday only; never Friday.', { entities: ['production'] })
    await set('lunch/place', 'The team eats at the noodle bar on Mondays.', { tags: ['food'] })
    await set('bank/pin', 'The PIN of the company card is kept by Ada.', { sensitivity: 'high' })
    await set('diary/today', 'We argued about production deploys.', { memory_type: 'episodic' })
    await set('theirs/deploys', 'Production deploys are announced to Bob.', { user_id: 'bob' })
  })
  afterAll(() => loom.close())

  it('answers what memory.search answers, with the parts of every score', async () => {
    const query = 'when can we deploy to production?'
    const plain = await loom.call('memory.search', { query, explain: true, auto_touch: false })
    const traced = await trace(query)
    expect(traced.results).toEqual(plain.results)
    const [first] = traced.results
    expect(first?.memory_key).toBe('deploy/window/prod')
    const parts = Object.values(first?.score_components ?? {})
    expect(1 / (1 + Math.exp(-(parts.reduce((sum, part) => sum + part, 0) - 5) / 2))).toBeCloseTo(first?.rank_score ?? 0, 6)
    expect(Object.keys(traced.trace.weights)).toEqual(expect.arrayContaining(Object.keys(first?.score_components ?? {})))
  })

  it('shows each leg by itself, what the filters drop, and what it reads in the query', async () => {
    const { trace: told } = await trace('where did production deploys go last week?', { tags: ['food'], search_mode: 'hybrid' })
    expect(told.legs.map((leg) => leg.leg)).toEqual(['lexical', 'vector'])
    expect(told.rows_in_scope).toBe(3)
    expect(told.filtered).toEqual({ tags: 2 })
    expect(told.legs[1]?.top).toEqual([{ memory_key: 'lunch/place', score: expect.any(Number) }])
    expect(told.thresholds).toEqual({ similarity: 0.4, coverage: 0.5 })
    expect(told.query).toEqual({
      words: expect.arrayContaining(['production', 'deploys']),
      entities: [],
      dates: [{ from: '2026-11-23T00:00:00.000Z', to: '2026-11-24T00:00:00.000Z' }],
    })
    expect((await trace('is production up?')).trace.query.entities).toEqual(['production'])
    expect((await trace('deploys', { search_mode: 'lexical' })).trace.legs.map((leg) => leg.leg)).toEqual(['lexical'])
  })

  it('counts nothing', async () => {
    const count = async () => {
      return (await loom.call('memory.get', { memory_key: 'deploy/window/prod' })).recall_count
    }
    const before = await count()
    await trace('when can we deploy to production?')
    expect(await count()).toBe(before)
  })

  it('says where on the way a key was lost', async () => {
    const query = 'when can we deploy to production?'
    expect(await expected(query, 'deploy/window/prod')).toMatchObject({ stage: 'returned', rank: 1 })
    expect(await expected(query, 'no/such/key')).toMatchObject({ stage: 'not_found', rank: null, score_components: {} })
    expect(await expected(query, 'lunch/place')).toMatchObject({ stage: expect.stringMatching(/not_near|no_candidate/) })
    expect(await expected(query, 'deploy/window/prod', { tags: ['food'] })).toMatchObject({
      stage: 'filtered',
      reason: 'The filter tags leaves it out.',
    })
    expect(await expected('production deploys announced', 'deploy/window/prod', { top_k: 1 })).toMatchObject({
      stage: 'ranked_below',
      rank: 2,
    })
  })

  it('[KEY031] [KEY028] tells of a row that no search finds only why, not what it says', async () => {
    expect(await expected('PIN of the company card', 'bank/pin')).toMatchObject({
      stage: 'unreadable',
      reason: 'Its sensitivity is high: it is read by its key only.',
      score_components: {},
    })
    expect(await expected('production deploys', 'diary/today')).toMatchObject({
      stage: 'unreadable',
      reason: 'Rows of type episodic are not searched.',
    })
    await set('gone', 'The old staging server is blue.')
    await loom.call('memory.delete', { memory_key: 'gone' })
    expect(await expected('staging server', 'gone')).toMatchObject({ stage: 'unreadable', reason: 'It is deleted.' })
    await set('over', 'The spring sale runs.', { valid_to: '2026-11-29T00:00:00Z' })
    expect(await expected('spring sale', 'over')).toMatchObject({ stage: 'unreadable', reason: 'It has expired.' })
  })

  it('[VER013] names the field that would show a row of another status', async () => {
    await set('paint/a', 'The shed door is painted green.')
    await set('paint/b', 'The shed door is painted green!', { run_id: 'r1' })
    expect(await expected('shed door painted', 'paint/b')).toMatchObject({
      stage: 'filtered',
      reason: 'Its status is duplicate: pass include_duplicates.',
    })
    expect(await expected('shed door painted', 'paint/b', { run_id: 'r1' })).toMatchObject({ stage: 'returned' })
  })

  it('[API031] does not tell a bound token of another user’s row', async () => {
    const claims = { ...localClaims('human', 'ada'), user_id: 'ada' }
    const answer = await loom.call('memory.search_trace', { query: 'production deploys', expect_key: 'theirs/deploys' }, { claims })
    expect(answer.expected).toMatchObject({ stage: 'not_found' })
    expect(answer.trace).toMatchObject({ rows_in_scope: 0, filtered: {} })
  })
})
