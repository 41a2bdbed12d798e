import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

describe('memory.search after memory.move', () => {
  let loom: TestEngine
  const set = (memory_key: string, value: string, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more })
  const move = (memory_key: string, to_key: string) => loom.call('memory.move', { memory_key, to_key })
  const found = async (query: string, more: object = {}) =>
    (await loom.call('memory.search', { query, ...more })).results.map((hit) => [hit.memory_key, hit.resolved_from])

  beforeAll(async () => {
    loom = await openTestEngine()
    await set('deploy/window/prod', 'Tuesday and Thursday only; never Friday.', { tags: ['ops'] })
    await set('kettle', 'The kettle is descaled in June.')
    await move('deploy/window/prod', 'release/times')
  })
  afterAll(() => loom.close())

  it('finds a row by the key that it had, and names that key [CHG009]', async () => {
    expect(await found('deploy window')).toEqual([['release/times', 'deploy/window/prod']])
    expect(await found('deploy window', { search_mode: 'lexical' })).toEqual([['release/times', 'deploy/window/prod']])
    // What it is found by is its own: nothing led elsewhere.
    expect(await found('never Friday')).toEqual([['release/times', '']])
    expect(await found('release times')).toEqual([['release/times', '']])
    expect(await found('when is the kettle descaled')).toEqual([['kettle', '']])
  })

  it('asks the row as it is about filters, and never shows one that is retired', async () => {
    expect(await found('deploy window', { tags: ['ops'] })).toEqual([['release/times', 'deploy/window/prod']])
    expect(await found('deploy window', { tags: ['kitchen'] })).toEqual([])
    expect(await found('deploy window', { exclude_keys: ['release/times'] })).toEqual([])
    await set('old/ladder/rules', 'Two people hold it.', { user_id: 'bob' })
    await loom.call('memory.move', { memory_key: 'old/ladder/rules', to_key: 'safety/heights', user_id: 'bob' })
    expect(await found('ladder rules')).toEqual([['safety/heights', 'old/ladder/rules']])
    expect(await found('ladder rules', { user_id: 'ada' })).toEqual([])
    await loom.call('memory.delete', { memory_key: 'safety/heights', user_id: 'bob' })
    expect(await found('ladder rules')).toEqual([])
  })

  it('follows a row that moved twice, and leaves no key where no redirect was kept', async () => {
    await set('shelf/one', 'Jars stand there.')
    await move('shelf/one', 'rack/two')
    await move('rack/two', 'cupboard/three')
    expect(await found('shelf one')).toEqual([['cupboard/three', 'shelf/one']])
    expect(await found('rack two')).toEqual([['cupboard/three', 'rack/two']])
    await set('attic/boxes', 'Forty of them.')
    await loom.call('memory.move', { memory_key: 'attic/boxes', to_key: 'cellar/crates', keep_redirect: false })
    expect(await found('attic boxes')).toEqual([])
  })
})
