import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

describe('shared copies in a list', () => {
  let loom: TestEngine
  const at = { namespace: 'local' }
  const ada = { claims: { ...localClaims('human', 'ada'), user_id: 'ada' } }
  const write = (user_id: string, memory_key: string, value: unknown, more: object = {}) =>
    loom.call('memory.set', { ...at, user_id, memory_key, value: value as string, ...more })
  const share = async (memory_key: string) =>
    expect(await loom.call('memory.promote', { ...at, user_id: 'bob', memory_key })).toMatchObject({ promoted: true })
  const list = (input: object = {}, caller = {}) => loom.call('memory.list', { ...at, ...input }, caller)
  const listed = async (input: object = {}, caller = {}) =>
    (await list({ sort: 'key', ...input }, caller)).rows.map((row) => [row.memory_key, row.source, row.user_id])

  beforeAll(async () => {
    loom = await openTestEngine()
    await write('bob', 'gate', 'The gate is painted green.', { tags: ['paint'] })
    await write('bob', 'lamp', { place: 'hall', height: 9007199254740993n }, { entities: ['hall'] })
    await write('bob', 'kept', 'Bob keeps this to himself.')
    await write('ada', 'own', 'Ada has this of her own.', { tags: ['paint'] })
    await share('gate')
    await share('lamp')
  })
  afterAll(() => loom.close())

  it('shows them to who may not see their rows, without a word of whose they are', async () => {
    expect(await listed({}, ada)).toEqual([
      ['gate', 'shared', '-'],
      ['lamp', 'shared', '-'],
      ['own', 'row', 'ada'],
    ])
    const { rows, total } = await list({ sort: 'key', values: true, with_total: true }, ada)
    expect(total).toBe(3)
    expect(rows[0]).toMatchObject({
      excerpt: 'The gate is painted green.',
      value: 'The gate is painted green.',
      recall_count: 0,
      open_conflicts: 0,
    })
    expect(rows[1]?.value).toEqual({ place: 'hall', height: 9007199254740993n })
    expect(JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('bob')
  })

  it('shows a row once to who sees it, and none to a call that picks a writer', async () => {
    expect(await listed()).toEqual([
      ['gate', 'row', 'bob'],
      ['kept', 'row', 'bob'],
      ['lamp', 'row', 'bob'],
      ['own', 'row', 'ada'],
    ])
    expect((await list({ with_total: true })).total).toBe(4)
    expect(await listed({ user_id: 'eve' })).toEqual([])
    expect(await listed({ user_id: 'ada' }, ada)).toEqual([['own', 'row', 'ada']])
  })

  it('filters them as rows', async () => {
    const keys = async (input: object) => (await listed(input, ada)).map(([key]) => key)
    expect(await keys({ tags_any: ['Paint'] })).toEqual(['gate', 'own'])
    expect(await keys({ entity: 'hall' })).toEqual(['lamp'])
    expect(await keys({ text: 'gree' })).toEqual(['gate'])
    expect(await keys({ key_prefix: 'la' })).toEqual(['lamp'])
    expect(await keys({ pinned: true })).toEqual([])
    expect(await keys({ status: ['conflicted'] })).toEqual([])
    expect(await keys({ created_before: '2001-01-01T00:00:00Z' })).toEqual([])
  })

  it.each(['updated', 'created', 'valid', 'key', 'confidence', 'recalled', 'expires', 'reinforced'] as const)(
    'pages through both in one order, by %s',
    async (sort) => {
      const whole = (await list({ sort }, ada)).rows.map((row) => row.memory_key)
      expect(whole).toHaveLength(3)
      const paged: string[] = []
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof list>> = await list({ sort, limit: 1, ...(cursor && { cursor }) }, ada)
        paged.push(...page.rows.map((row) => row.memory_key))
        cursor = page.next_cursor
      } while (cursor !== null)
      expect(paged).toEqual(whole)
    },
  )

  it('shows those of another namespace where they lie, and none of what was taken off', async () => {
    await loom.call('memory.cross_promote', { ...at, user_id: 'bob', memory_key: 'gate', to_namespace: 'works' })
    expect(await listed({ namespace: 'works' })).toEqual([['gate', 'shared', '-']])
    await loom.call('memory.delete', { ...at, user_id: 'bob', memory_key: 'gate' })
    expect(await listed({ namespace: 'works' })).toEqual([])
    expect(await listed({}, ada)).toEqual([
      ['lamp', 'shared', '-'],
      ['own', 'row', 'ada'],
    ])
  })
})
