import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

describe('shared copies in search', () => {
  let loom: TestEngine
  const at = { namespace: 'local' }
  const ada = { claims: { ...localClaims('human', 'ada'), user_id: 'ada' } }
  const QUERY = 'when is the sluice greased'
  const call = <T extends Record<string, unknown>>(op: string, input: object, caller = {}) =>
    loom.call(op as never, input as never, caller) as unknown as Promise<T>
  const found = async (caller = {}, more: object = {}) =>
    (await loom.call('memory.search', { ...at, query: QUERY, ...more }, caller)).results.map((hit) => [
      hit.memory_key,
      hit.source,
      hit.user_id,
    ])
  beforeAll(async () => {
    loom = await openTestEngine()
    await loom.call('memory.set', { ...at, user_id: 'bob', memory_key: 'sluice', value: 'The sluice is greased in March.' })
    expect(await found(ada)).toEqual([])
    expect(await call('memory.promote', { ...at, user_id: 'bob', memory_key: 'sluice' })).toMatchObject({ promoted: true })
  })
  afterAll(() => loom.close())

  it('finds a copy on the shelf for a token that may not see its row, by words and by meaning', async () => {
    expect(await found(ada)).toEqual([['sluice', 'shared', '-']])
    expect(await found(ada, { search_mode: 'lexical' })).toEqual([['sluice', 'shared', '-']])
    expect(await found(ada, { search_mode: 'vector' })).toEqual([['sluice', 'shared', '-']])
    expect(await loom.call('memory.ask', { ...at, query: QUERY }, ada)).toMatchObject({ answer: 'The sluice is greased in March. [1]' })
    expect((await loom.call('context.pack', { ...at, query: QUERY }, ada)).text).toContain('The sluice is greased in March.')
    const [result] = (await loom.call('search', { ...at, query: QUERY }, ada)).results
    expect(result).toMatchObject({ kind: 'memory', open: { op: 'memory.get', arguments: { memory_key: 'sluice' } } })
    expect(await call('memory.get', result?.open.arguments ?? {}, ada)).toMatchObject({ found: true, source: 'shared' })
  })

  it('counts a copy once with its row, and not where the call picks a writer', async () => {
    expect(await found()).toEqual([['sluice', 'row', 'bob']])
    expect(await found({}, { user_id: 'eve' })).toEqual([])
    expect(await found(ada, { tags: ['none'] })).toEqual([])
  })

  it('finds it on the shelf of another namespace, where it is no row', async () => {
    expect(await call('memory.cross_promote', { ...at, user_id: 'bob', memory_key: 'sluice', to_namespace: 'works' })).toMatchObject({
      promoted: true,
    })
    expect(await found({}, { namespace: 'works' })).toEqual([['sluice', 'shared', '-']])
    expect(await found({}, { namespace: 'works', namespace_scope: ['local'] })).toEqual([['sluice', 'row', 'bob']])
  })

  it('finds what a copy says that came in place of another of the key, with its whole value', async () => {
    const copy = async (user_id: string, value: string) => {
      await loom.call('memory.set', { ...at, user_id, memory_key: 'gate', value })
      expect(await call('memory.promote', { ...at, user_id, memory_key: 'gate' })).toMatchObject({ promoted: true })
    }
    await copy('bob', 'The gate is painted green.')
    const query = 'the lantern hangs above the arch'
    expect((await loom.call('memory.search', { ...at, query }, ada)).abstain).toBe(true)
    await copy('eve', 'A lantern hangs above the arch.')
    const { results } = await loom.call('memory.search', { ...at, query, bodies: true }, ada)
    expect(results).toMatchObject([{ memory_key: 'gate', value: 'A lantern hangs above the arch.', body_truncated: false }])
  })

  it('[PRV008] makes no answer of the copy of an external row that nobody attested', async () => {
    await loom.call('memory.set', {
      ...at,
      user_id: 'bob',
      memory_key: 'wharf',
      value: 'The old wharf closes in June.',
      source_class: 'external',
    })
    await call('memory.promote', { ...at, user_id: 'bob', memory_key: 'wharf' })
    const query = 'when does the old wharf close'
    expect(await loom.call('memory.ask', { ...at, query }, ada)).toMatchObject({ abstain_code: 'external_only', external_dropped: 1 })
    await call('memory.verify', { ...at, user_id: 'bob', memory_key: 'wharf' })
    await call('memory.promote', { ...at, user_id: 'bob', memory_key: 'wharf' })
    expect(await loom.call('memory.ask', { ...at, query }, ada)).toMatchObject({ answer: 'The old wharf closes in June. [1]' })
  })

  it('is gone as soon as the row is, or the copy is taken off', async () => {
    await call('memory.demote', { ...at, memory_key: 'sluice' })
    expect(await found(ada)).toEqual([])
    await call('memory.promote', { ...at, user_id: 'bob', memory_key: 'sluice' })
    expect(await found(ada)).toHaveLength(1)
    await loom.call('memory.delete', { ...at, memory_key: 'sluice' })
    expect(await found(ada)).toEqual([])
  })
})
