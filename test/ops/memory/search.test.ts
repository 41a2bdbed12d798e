import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

describe('memory.search', () => {
  let loom: TestEngine
  const now = Date.parse('2026-11-30T12:00:00Z')
  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const search = (query: string, more: object = {}) => loom.call('memory.search', { query, ...more })
  const keys = async (query: string, more: object = {}) => (await search(query, more)).results.map((hit) => hit.memory_key)
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
    await set('deploy/window/prod', 'Production deploys run Tuesday and Thursday only; never Friday.')
    await set('notes/ar', 'يفتح المتجر في الساعة التاسعة صباحا')
    await set('notes/he', 'החנות נפתחת בשעה תשע בבוקר')
    await set('party', 'The release party was loud. 🎉🎉')
  })
  afterAll(() => loom.close())

  it.each([
    ['one letter', 'a'],
    ['only stop words', 'the of and to is'],
    ['emoji', '🚀🔥'],
    ['a regular expression', '(a+)+$|.*[^x]{1,9999}'],
    ['SQL', "'; DROP TABLE loom.memory; --"],
    ['punctuation', '?!…—'],
    ['a thousand equal words', 'zebra '.repeat(600)],
    ['no break', 'z'.repeat(4000)],
    ['combining marks', `z${'\u0301'.repeat(3000)}`],
    ['tabs and lines', 'qqq\t\n\r\n'],
  ])('answers a query of %s, and finds nothing near', async (_name, query) => {
    expect(await search(query)).toMatchObject({ results: [], abstain: true, abstain_code: 'nothing_near' })
    for (const search_mode of ['lexical', 'vector']) expect((await search(query, { search_mode })).results).toEqual([])
  })

  it.each([
    ['1 MB', 'x'.repeat(1_000_000)],
    ['nothing', ''],
    ['white space', ' \n\t '],
    ['a null byte', 'a\0b'],
    ['a lone surrogate', 'a\ud800b'],
  ])('refuses a query of %s, naming the field', async (_name, query) => {
    expect((await refused(search(query), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'query' })
  })

  it('finds what is written from right to left, and emoji that a row has', async () => {
    expect((await keys('متى يفتح المتجر'))[0]).toBe('notes/ar')
    expect((await keys('מתי נפתחת החנות'))[0]).toBe('notes/he')
    expect(await keys('release party 🎉')).toEqual(['party'])
    expect(await keys('\u202erelease party\u202c')).toEqual(['party'])
  })

  it('reads "last week" from observation_date, and from now', async () => {
    const at = { namespace: 'diary' }
    await set('visit/nov', 'The inspector visited the plant.', { ...at, valid_at: '2026-11-25T09:00:00Z' })
    await set('visit/may', 'The inspector visited the mill.', { ...at, valid_at: '2026-05-13T09:00:00Z' })
    const query = 'which place did the inspector visit last week?'
    expect((await keys(query, at))[0]).toBe('visit/nov')
    expect((await keys(query, { ...at, observation_date: '2026-05-20T09:00:00Z' }))[0]).toBe('visit/may')
    expect((await refused(search(query, { observation_date: 'tomorrow' }), 'INVALID_ARGUMENT')).fields).toMatchObject({
      field: 'observation_date',
    })
  })

  it('fifty searches while fifty writes land each see a store that stood', async () => {
    const at = { namespace: 'race' }
    await set('gauge', 'The river gauge stands at 0 centimetres.', at)
    const writes = Array.from({ length: 50 }, (_, nth) => set('gauge', `The river gauge stands at ${nth + 1} centimetres.`, at))
    const searches = Array.from({ length: 50 }, async () => (await search('where does the river gauge stand', at)).results)
    for (const results of await Promise.all(searches)) {
      expect(results.map((hit) => [hit.memory_key, hit.status])).toEqual([['gauge', 'active']])
      expect(results[0]?.content_excerpt).toMatch(/^The river gauge stands at \d+ centimetres\.$/)
    }
    await Promise.all(writes)
  })

  it('shows no fact that is deleted between ranking and reading', async () => {
    const at = { namespace: 'gone' }
    for (let nth = 0; nth < 8; nth++) {
      await set(`buoy/${nth}`, `The red buoy number ${nth} marks the channel.`, at)
      const found = search('which buoy marks the channel', at)
      const deleted = loom.call('memory.delete', { ...at, memory_key: `buoy/${nth}` })
      const { results } = await found
      for (const hit of results) expect([hit.memory_key, hit.status]).toEqual([`buoy/${nth}`, 'active'])
      await deleted
      expect((await search('which buoy marks the channel', at)).results).toEqual([])
    }
  })

  it('shows one fact or its successor, never neither, while one takes the other’s place', async () => {
    const at = { namespace: 'place' }
    await loom.call('namespace.register', { ...at, default_conflict_policy: 'newest_wins' } as never)
    await set('tide/0', 'High tide is at 1 o’clock.', at)
    for (let nth = 1; nth < 6; nth++) {
      const write = set(`tide/${nth}`, `High tide is at ${nth + 1} o’clock.`, at)
      const seen = await Promise.all(Array.from({ length: 4 }, () => keys('when is high tide', at)))
      await write
      for (const one of seen) expect(one.length).toBeGreaterThan(0)
    }
  })
})
