import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

const MINUTE = 60_000

describe('reading the past', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = async (memory_key: string, more: object = {}) =>
    (await loom.call('memory.get', { memory_key, ...more })) as Record<string, unknown>
  const iso = (at: number): string => new Date(at).toISOString()
  const tick = (ms = MINUTE): string => {
    now += ms
    return iso(now)
  }
  const found = async (query: string, more: object = {}) =>
    (await loom.call('memory.search', { query, search_mode: 'lexical', ...more } as never)).results.map(
      (hit) => `${hit.memory_key}: ${hit.content_excerpt}`,
    )

  it('[TIM001] records created_at when the row is recorded, and keeps it over revisions', async () => {
    const at = iso(now)
    await set('recorded', 'The sluice opens at high water.')
    tick()
    await set('recorded', 'The sluice opens one hour after high water.')
    expect(await get('recorded')).toMatchObject({ created_at: at, updated_at: iso(now) })
  })

  it('[TIM002] stores valid_at and valid_to as given, and each may be left unset', async () => {
    const [from, until] = ['2024-05-01T08:00:00.000Z', '2031-05-01T08:00:00.000Z']
    await set('dates/both', 'The lease of the boathouse runs for seven years.', { valid_at: from, valid_to: until })
    await set('dates/from', 'The new harbour master took office.', { valid_at: '2024-05-01T10:00:00+02:00' })
    await set('dates/until', 'The old crane may stand for now.', { valid_to: until })
    await set('dates/none', 'The slipway is made of granite.')
    expect(await get('dates/both')).toMatchObject({ valid_at: from, valid_to: until })
    expect(await get('dates/from')).toMatchObject({ valid_at: from, valid_to: null })
    expect(await get('dates/until')).toMatchObject({ valid_at: null, valid_to: until })
    expect(await get('dates/none')).toMatchObject({ valid_at: null, valid_to: null })
  })

  it('[TIM003] drops a row whose valid_to has passed from memory.get and memory.search', async () => {
    await set('over', 'The winter timetable of the cable car applies.', { valid_to: iso(now - 24 * 60 * MINUTE) })
    expect(await get('over')).toMatchObject({ found: false, reason: 'expired' })
    expect(await found('winter timetable cable car')).toEqual([])
  })

  it('[TIM005] answers memory.get and memory.search as of a time before and after a revision', async () => {
    await set('lead', 'Ada leads the lighthouse crew.')
    const early = iso(now)
    tick()
    await set('lead', 'Grace leads the lighthouse crew.')
    const late = tick()
    for (const as_of_basis of ['valid_time', 'knowledge_time']) {
      expect(await get('lead', { as_of: early, as_of_basis })).toMatchObject({ found: true, value: 'Ada leads the lighthouse crew.' })
      expect(await get('lead', { as_of: late, as_of_basis })).toMatchObject({ value: 'Grace leads the lighthouse crew.' })
      expect(await found('who leads the lighthouse crew', { as_of: early, as_of_basis })).toEqual(['lead: Ada leads the lighthouse crew.'])
      expect(await found('who leads the lighthouse crew', { as_of: late, as_of_basis })).toEqual(['lead: Grace leads the lighthouse crew.'])
    }
    const { memory_id } = await get('lead', { fields: ['memory_id'] })
    expect(await loom.call('memory.get_by_id', { memory_id: memory_id as string, as_of: early })).toMatchObject({
      value: 'Ada leads the lighthouse crew.',
    })
    await refused(loom.call('memory.get_by_id', { memory_id: memory_id as string, as_of: early, version: 1 }), 'INVALID_ARGUMENT')
    expect(await get('lead', { as_of: iso(now - 365 * 24 * 60 * MINUTE) })).toMatchObject({ found: false, reason: 'not_found' })
  })

  it('finds past versions by words and says so, and those that still stand by their vectors', async () => {
    const early = iso(now)
    await set('still', 'The orchard belongs to the monastery.')
    const gone = await loom.call('memory.search', { query: 'who owns the orchard', as_of: early })
    expect(gone.results.map((hit) => hit.memory_key)).toContain('still')
    expect(gone.results.find((hit) => hit.memory_key === 'still')!.similarity).toBeGreaterThan(0.3)
    tick()
    await set('still', 'The orchard belongs to the village.')
    const past = await loom.call('memory.search', { query: 'orchard monastery', as_of: early })
    expect(past.results[0]).toMatchObject({ memory_key: 'still', content_excerpt: 'The orchard belongs to the monastery.', similarity: 0 })
    expect(past.degraded).toContain('as_of_words')
  })

  it('[TIM006] takes valid_time where the basis is left out', async () => {
    await set('backdated', 'The bridge was closed to carts.', { valid_at: '2020-01-01' })
    const then = '2021-01-01T00:00:00.000Z'
    expect(await get('backdated', { as_of: then })).toMatchObject({ found: true })
    expect(await get('backdated', { as_of: then, as_of_basis: 'valid_time' })).toEqual(await get('backdated', { as_of: then }))
    expect(await get('backdated', { as_of: then, as_of_basis: 'knowledge_time' })).toMatchObject({ found: false })
  })

  it('[TIM007] refuses another basis', async () => {
    await refused(get('lead', { as_of: iso(now), as_of_basis: 'now' }), 'INVALID_ARGUMENT')
    await refused(loom.call('memory.search', { query: 'lead', as_of_basis: 'now' } as never), 'INVALID_ARGUMENT')
  })

  it('[TIM008] places a row at its valid_at, else at the event date in its text, else at its recording', async () => {
    await set('place/valid', 'The ford was deepened, as told on 2023-06-01.', { valid_at: '2022-02-02' })
    await set('place/event', 'The well was dug on 3 June 2023.')
    await set('place/plain', 'The barn has a slate roof.')
    expect(await get('place/event')).toMatchObject({ temporal_anchor: '2023-06-03T00:00:00.000Z', temporal_confidence: 0.9 })
    const at = async (key: string, as_of: string): Promise<unknown> => (await get(key, { as_of }))['found']
    expect([await at('place/valid', '2022-02-01'), await at('place/valid', '2022-02-03')]).toEqual([false, true])
    expect([await at('place/event', '2023-06-02'), await at('place/event', '2023-06-04')]).toEqual([false, true])
    expect([await at('place/plain', iso(now - 1)), await at('place/plain', iso(now))]).toEqual([false, true])
  })

  it('[TIM009] includes a row whose effective time is as_of exactly, and not one that ended exactly then', async () => {
    const [from, until] = ['2022-03-03T03:03:03.003Z', '2030-03-03T03:03:03.003Z']
    await set('edge', 'The lower field was sown with rye.', { valid_at: from, valid_to: until })
    expect(await get('edge', { as_of: from })).toMatchObject({ found: true })
    expect(await get('edge', { as_of: '2022-03-03T03:03:03.002Z' })).toMatchObject({ found: false })
    expect(await get('edge', { as_of: '2030-03-03T03:03:03.002Z' })).toMatchObject({ found: true })
    expect(await get('edge', { as_of: until })).toMatchObject({ found: false })
    expect(await found('lower field rye', { as_of: from })).toHaveLength(1)
  })

  it('[TIM010] counts a row under knowledge_time once it was recorded', async () => {
    const before = iso(now)
    tick()
    await set('late/news', 'The mill had burnt down long ago.', { valid_at: '2001-01-01' })
    const basis = { as_of_basis: 'knowledge_time' }
    expect(await get('late/news', { as_of: before, ...basis })).toMatchObject({ found: false })
    expect(await get('late/news', { as_of: iso(now), ...basis })).toMatchObject({ found: true })
    expect(await found('mill burnt down', { as_of: before, ...basis })).toEqual([])
  })

  it('[TIM011] [TIM012] leaves out what was retired or deleted by then, and still shows it before that', async () => {
    const basis = { as_of_basis: 'knowledge_time' }
    await loom.call('namespace.register', { namespace: 'newest', default_conflict_policy: 'newest_wins' })
    const inNewest = { namespace: 'newest' }
    await set('office/old', 'The office is on the third floor of the mill.', inNewest)
    const held = iso(now)
    tick()
    await set('office/new', 'The office is on the fifth floor of the mill.', inNewest)
    expect(await get('office/old', inNewest)).toMatchObject({ status: 'superseded' })
    const retired = iso(now)
    expect(await get('office/old', { ...inNewest, ...basis, as_of: held })).toMatchObject({ found: true, status: 'active' })
    expect(await get('office/old', { ...inNewest, ...basis, as_of: retired })).toMatchObject({ found: false })
    expect(await get('office/old', { ...inNewest, as_of: retired })).toMatchObject({ found: true, status: 'active' })

    await set('deleted', 'The chapel bell hangs in the yard.')
    const there = iso(now)
    const gone = tick()
    await loom.call('memory.delete', { memory_key: 'deleted' })
    expect(await get('deleted', { ...basis, as_of: there })).toMatchObject({ found: true, value: 'The chapel bell hangs in the yard.' })
    expect(await get('deleted', { ...basis, as_of: gone })).toMatchObject({ found: false, reason: 'deleted' })
    expect(await get('deleted', { as_of: there })).toMatchObject({ found: false, reason: 'deleted' })
    expect(await found('chapel bell yard', { ...basis, as_of: there })).toHaveLength(1)
    expect(await found('chapel bell yard', { ...basis, as_of: gone })).toEqual([])
  })

  it('knows when a cleared row ended, which leaves no version of its own', async () => {
    const basis = { as_of_basis: 'knowledge_time' }
    await set('cleared/row', 'The cellar is let to a cooper.', { agent: 'cellarer' })
    const there = iso(now)
    tick()
    await loom.call('memory.clear', { agent: 'cellarer', confirm_subject: 'cellarer' })
    const at = { agent: 'cellarer', ...basis }
    expect(await get('cleared/row', { ...at, as_of: there })).toMatchObject({ found: true })
    expect(await get('cleared/row', { ...at, as_of: iso(now) })).toMatchObject({ found: false, reason: 'deleted' })
  })

  it('never finds by search, as of any time, what is of high sensitivity', async () => {
    await set('secret', 'The vault word is swordfish9, password: swordfish9X!', { sensitivity: 'high' })
    expect(await found('vault word swordfish9', { as_of: iso(now) })).toEqual([])
    expect(await get('secret', { as_of: iso(now) })).toMatchObject({ found: true })
  })
})
