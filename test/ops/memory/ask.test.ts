import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

const MINUTE = 60_000

describe('memory.ask', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const ask = (query: string, more: object = {}) => loom.call('memory.ask', { query, ...more })
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
    await set('deploy/window/prod', 'Production deploys run Tuesday and Thursday only; never Friday.')
    await set('lunch/place', 'The team eats at the noodle bar on Mondays. The bill is split evenly. Ada books the table a week ahead.')
    await set('bank/pin', 'The vault code of the cellar door is kept by Ada.', { sensitivity: 'high' })
    await set('launch/date', 'The lighthouse app launches with the spring release.', { valid_at: '2026-04-14T00:00:00Z' })
  })
  afterAll(() => loom.close())

  it('answers with the sentence that stands in memory, cited', async () => {
    const answer = await ask('Which days do we deploy?')
    expect(answer).toMatchObject({
      answer: 'Production deploys run Tuesday and Thursday only; never Friday. [1]',
      source: 'extractive',
      abstain: false,
      abstain_code: '',
      memory_keys: ['deploy/window/prod'],
      citations: [{ n: 1, memory_key: 'deploy/window/prod', quote: 'Production deploys run Tuesday and Thursday only; never Friday.' }],
      conflicts: [],
      grounding: 1,
      synth_model: '',
      degraded: [],
    })
    expect(answer.results[0]?.memory_key).toBe('deploy/window/prod')
    expect(answer.citations[0]?.version_text).toBe(String(answer.citations[0]?.version))
  })

  it('takes the one sentence of a longer value that answers, verbatim', async () => {
    const { answer } = await ask('Who books the table for lunch?')
    expect(answer.startsWith('Ada books the table a week ahead. [1]')).toBe(true)
    expect(answer).not.toContain('bill')
  })

  it('says that it does not know rather than make something up', async () => {
    for (const query of ['What is the capital of France?', 'the of and', '?', '🚀🚀', 'SELECT * FROM memory', '.*(a+)+$'])
      expect(await ask(query), query).toMatchObject({
        answer: '',
        source: 'none',
        abstain: true,
        abstain_code: 'nothing_near',
        citations: [],
      })
    expect(await ask('Anything?', { namespace: 'nowhere' })).toMatchObject({ abstain_code: 'empty' })
    expect(await ask('Which days do we deploy?', { tags: ['no-such-tag'] })).toMatchObject({ abstain_code: 'filtered' })
    expect((await refused(ask('   '), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'query' })
  })

  it('gives a question for a date the sentence, with the date in its citation', async () => {
    expect((await ask('When does the lighthouse app launch?')).citations[0]).toMatchObject({
      memory_key: 'launch/date',
      valid_at: '2026-04-14T00:00:00.000Z',
    })
  })

  it('[KEY031] never tells what a high row says', async () => {
    const answer = await ask('Who keeps the vault code of the cellar door?')
    expect(JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('bank/pin')
  })

  it('[PRV008] makes no answer of external rows that nobody attested', async () => {
    await set('feed/wharf', 'The old wharf closes for repairs in June.', { source_class: 'external' })
    const before = await ask('When does the old wharf close for repairs?')
    expect(before).toMatchObject({
      answer: '',
      source: 'none',
      abstain: true,
      abstain_code: 'external_only',
      external_dropped: 1,
      citations: [],
    })
    await loom.call('memory.verify', { memory_key: 'feed/wharf' })
    const after = await ask('When does the old wharf close for repairs?')
    expect(after).toMatchObject({ answer: 'The old wharf closes for repairs in June. [1]', external_dropped: 0, abstain: false })
    await set('feed/wharf', 'The old wharf closes for repairs in August.', { source_class: 'external' })
    expect(await ask('When does the old wharf close for repairs?')).toMatchObject({ abstain_code: 'external_only' })
  })

  it('[PRO003] makes no answer of a proposal', async () => {
    await set('trial/ferry', 'The evening ferry leaves from the north pier.', { proposed: true })
    expect(await ask('Where does the evening ferry leave from?')).toMatchObject({ abstain: true, abstain_code: 'nothing_near' })
  })

  it('gives both sides of an open conflict, the newer first, and names them', async () => {
    await set('office/open', 'The harbour office opens at eight.', { valid_at: '2026-01-01T00:00:00Z' })
    const { conflict_verdict: verdict } = await set('desk/hours', 'The harbour office opens at nine.', { valid_at: '2026-02-01T00:00:00Z' })
    expect(verdict).toBe('conflict')
    const answer = await ask('When does the harbour office open?')
    expect(answer.answer).toBe('The harbour office opens at nine. [1] The harbour office opens at eight. [2]')
    expect(answer.conflicts).toEqual([{ memory_keys: expect.arrayContaining(['office/open', 'desk/hours']), note: expect.any(String) }])
    const short = await ask('When does the harbour office open?', { max_answer_chars: 100, top_k: 1 })
    expect(short.memory_keys.toSorted()).toEqual(['desk/hours', 'office/open'])
    expect(short.answer.length).toBeLessThanOrEqual(100)
  })

  it('says nothing twice', async () => {
    await set('ship/berth', 'The research ship berths at pier four.')
    await loom.call('memory.set', { memory_key: 'pier/ship', value: 'At pier four the research ship berths.', agent: 'other' })
    const { answer } = await ask('Where does the research ship berth?')
    expect(answer.match(/pier four/g)).toHaveLength(1)
  })

  it('cuts a single long sentence at a word, and holds max_answer_chars', async () => {
    const long = `The mooring manual says that ${'every line is doubled before a gale and '.repeat(30)}the watch is told.`
    await set('mooring/manual', long)
    const { answer, citations } = await ask('What does the mooring manual say of lines before a gale?', { max_answer_chars: 200 })
    expect(answer.length).toBeLessThanOrEqual(200)
    expect(long.startsWith(citations[0]?.quote.replace(/…$/, '') ?? '-')).toBe(true)
    expect(answer).toMatch(/\w… \[1\]$/)
  })

  it('[TIM005] answers as things stood at a time', async () => {
    await set('lead', 'Ada leads the lighthouse crew.')
    const early = new Date(now).toISOString()
    now += MINUTE
    await set('lead', 'Grace leads the lighthouse crew.')
    expect((await ask('Who leads the lighthouse crew?')).answer).toBe('Grace leads the lighthouse crew. [1]')
    for (const as_of_basis of ['valid_time', 'knowledge_time'])
      expect((await ask('Who leads the lighthouse crew?', { as_of: early, as_of_basis })).answer).toBe('Ada leads the lighthouse crew. [1]')
    expect((await refused(ask('Who leads?', { as_of: early, as_of_basis: 'now' }), 'INVALID_ARGUMENT')).fields).toMatchObject({
      field: 'as_of_basis',
    })
  })

  it('counts what it cites; reinforcing is a writer’s', async () => {
    const at = { namespace: 'counted' }
    await loom.call('memory.set', { ...at, memory_key: 'sluice', value: 'The sluice is greased in March.' })
    const query = 'When is the sluice greased?'
    await ask(query, { ...at, reinforce: true })
    const viewer = { ...localClaims('human', 'eve'), grants: { counted: 'viewer' as const } }
    const asViewer = await loom.call('memory.ask', { ...at, query, reinforce: true }, { claims: viewer })
    expect(asViewer.ignored_args).toEqual(['reinforce'])
    await ask(query, { ...at, auto_touch: false })
    await vi.waitFor(
      async () =>
        expect(await loom.call('memory.get', { ...at, memory_key: 'sluice' })).toMatchObject({
          used_cited_count: 3,
          reinforcement_count: 1,
          recall_count: 2,
        }),
      { timeout: 5000 },
    )
  })

  it('[API031] tells a bound token nothing of another user’s rows', async () => {
    await set('theirs/berth', 'The yellow submarine is hidden in the third cave.', { user_id: 'bob' })
    const query = 'Where is the yellow submarine hidden?'
    expect((await ask(query)).memory_keys).toEqual(['theirs/berth'])
    const claims = { ...localClaims('human', 'ada'), user_id: 'ada' }
    expect(await loom.call('memory.ask', { query }, { claims })).toMatchObject({ abstain: true, citations: [], results: [] })
  })
})

describe('memory.ask without any model', () => {
  it('answers by words, and says so', async () => {
    const loom = await openTestEngine({ models: NO_MODELS })
    await loom.call('memory.set', { memory_key: 'sluice', value: 'The sluice opens at high water. It is painted red.' })
    expect(await loom.call('memory.ask', { query: 'When does the sluice open at high water?' })).toMatchObject({
      answer: 'The sluice opens at high water. [1]',
      degraded: ['embedder'],
    })
    await loom.close()
  })
})
