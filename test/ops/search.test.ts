import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { localClaims } from '../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { refused } from '../helpers/errors.ts'

describe('search', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  const search = (query: string, more: object = {}) => loom.call('search', { query, ...more })
  const kinds = async (query: string, more: object = {}) => (await search(query, more)).results.map((one) => `${one.kind} ${one.ref}`)
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
    await loom.call('memory.set', {
      memory_key: 'pay/rollback',
      value: 'The payments release is rolled back from the deploy board.',
      tags: ['pay'],
    })
    await loom.call('memory.set', { memory_key: 'roses', value: 'The roses are watered at dawn.' })
    await loom.call('memory.set', { memory_key: 'bank', value: 'The payments release password is coral.', sensitivity: 'high' })
    await loom.call('profile.set', { attribute: 'pager', value: 'wants to be paged for every payments rollback' })
    await loom.call('knowledge.add', {
      document_key: 'runbook',
      title: 'Runbook',
      text: '# Rollback\n\nTo roll back the payments release, press the red button.\n\n# Gardening\n\nWater the roses.\n',
    })
    await loom.call('conversation.append', {
      thread_id: 't1',
      messages: [{ role: 'user', content: 'Did the payments release rollback go well yesterday?' }],
    } as never)
  })
  afterAll(() => loom.close())

  it('finds every kind of thing that is near, each with the call that opens it', async () => {
    const answer = await search('payments release rollback')
    expect(answer.results.map((one) => one.kind).toSorted()).toEqual(['conversation', 'knowledge', 'memory', 'profile'])
    expect(answer.counts).toEqual({ memory: 1, profile: 1, knowledge: 1, conversation: 1 })
    expect(answer.abstain).toBe(false)
    const scores = answer.results.map((one) => one.score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    for (const { open, kind } of answer.results) {
      const opened = (await loom.call(open.op as 'memory.get_by_id', open.arguments as never)) as { found?: boolean }
      expect([kind, opened.found]).toEqual([kind, true])
    }
    expect(answer.results.find((one) => one.kind === 'memory')?.hit?.memory_key).toBe('pay/rollback')
  })

  it('keeps to the kinds and tags asked for; each kind has its best while there is room', async () => {
    expect(await kinds('payments release rollback', { kinds: ['knowledge'] })).toEqual(['knowledge runbook'])
    expect(await kinds('payments release rollback', { tags: ['pay'] })).toEqual(['memory pay/rollback'])
    for (let nth = 0; nth < 6; nth++)
      await loom.call('memory.set', { namespace: 'many', memory_key: `m/${nth}`, value: `Ferry number ${nth} sails to island ${nth * 7}.` })
    await loom.call('knowledge.add', {
      namespace: 'many',
      document_key: 'ferries',
      title: 'Ferries',
      text: 'A ferry sails to each island.',
    })
    const few = await search('which ferry sails to the island', { namespace: 'many', limit: 2 })
    expect(new Set(few.results.map((one) => one.kind))).toEqual(new Set(['memory', 'knowledge']))
    expect(few.counts).toMatchObject({ memory: 6, knowledge: 1 })
  })

  it('[KEY031] says that nothing is near rather than pad, and never shows a high row', async () => {
    expect(await search('the migration of arctic terns')).toMatchObject({ results: [], abstain: true, counts: { memory: 0, knowledge: 0 } })
    const shown = JSON.stringify(await search('payments release password coral'), (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    expect(shown).not.toContain('coral')
    expect((await refused(search(' '), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'query' })
  })

  it('[TIM005] of a past it finds memories, as they stood', async () => {
    const early = new Date(now).toISOString()
    now += 60_000
    await loom.call('memory.set', { memory_key: 'pay/rollback', value: 'The payments release is rolled back by Ada.', tags: ['pay'] })
    const past = await search('payments release rollback', { as_of: early })
    expect(past.results.map((one) => [one.kind, one.excerpt])).toEqual([
      ['memory', 'The payments release is rolled back from the deploy board.'],
    ])
    expect((await refused(search('x', { as_of: early, as_of_basis: 'now' }), 'INVALID_ARGUMENT')).fields).toMatchObject({
      field: 'as_of_basis',
    })
  })

  it('looks in further namespaces, and names those that the token does not reach', async () => {
    const found = await search('which ferry sails to the island', { namespace_scope: ['many'] })
    expect(found.results.length).toBeGreaterThan(0)
    const opened = found.results.find((one) => one.kind === 'knowledge')
    expect(opened).toMatchObject({ namespace: 'many', open: { op: 'knowledge.get', arguments: { namespace: 'many' } } })
    const claims = { ...localClaims('human', 'eve'), grants: { local: 'viewer' as const } }
    const narrow = await loom.call('search', { query: 'which ferry sails to the island', namespace_scope: ['many'] }, { claims })
    expect(narrow).toMatchObject({ results: [], namespaces_skipped: [{ namespace: 'many', reason: 'forbidden' }] })
  })

  it('[API031] shows a bound token its own things alone', async () => {
    const at = { user_id: 'bob', namespace: 'mine' }
    await loom.call('memory.set', { ...at, memory_key: 'cave', value: 'The submarine is hidden in the third cave.' })
    await loom.call('conversation.append', {
      ...at,
      thread_id: 't',
      messages: [{ role: 'user', content: 'Where is the submarine hidden?' }],
    } as never)
    const claims = { ...localClaims('human', 'ada'), user_id: 'ada' }
    expect((await search('where is the submarine hidden', { namespace: 'mine' })).results).toHaveLength(2)
    expect((await loom.call('search', { query: 'where is the submarine hidden', namespace: 'mine' }, { claims })).results).toEqual([])
  })

  it('counts a memory that it shows as recalled', async () => {
    await vi.waitFor(async () => expect((await loom.call('memory.get', { memory_key: 'pay/rollback' })).recall_count).toBeGreaterThan(0), {
      timeout: 5000,
    })
  })
})
