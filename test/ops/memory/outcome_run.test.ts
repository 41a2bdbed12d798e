import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims, type Caller } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('memory.outcome_run', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS })
    await set('lamp', 'The lamp is brass.')
    await set('stairs', 'The second stair creaks.')
    await set('gone', 'The fence is green.')
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: string, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more })
  const get = (memory_key: string) => loom.call('memory.get', { memory_key })
  const complete = (run_id: string, more: object) => loom.call('run.complete', { run_id, status: 'completed', ...more })
  const tell = (run_id: string, outcome: 'positive' | 'negative' | 'neutral', more: object = {}) =>
    loom.call('memory.outcome_run', { run_id, outcome, ...more })

  it('tells one outcome of every memory that a run used, once', async () => {
    await complete('r1', { memories_used: ['lamp', 'stairs', 'gone', 'nowhere'] })
    await loom.call('memory.delete', { memory_key: 'gone' })
    const before = await countStores(loom.database)
    const told = await tell('r1', 'positive', { weight: 3, note: 'it worked' })
    expect(told).toMatchObject({ found: true, run_id: 'r1', recorded: 2 })
    expect(told.rows.map(({ memory_key, recorded, reason, quarantined }) => [memory_key, recorded, reason, quarantined])).toEqual([
      ['lamp', true, '', false],
      ['stairs', true, '', false],
      ['gone', false, 'not_found', false],
      ['nowhere', false, 'not_found', false],
    ])
    expect(await get('lamp')).toMatchObject({ acted_count: 3, harm_count: 0, used_count: 1 })
    expect(await tell('r1', 'negative')).toMatchObject({ recorded: 0, rows: [{ reason: 'repeated' }, { reason: 'repeated' }, {}, {}] })
    expect(await get('lamp')).toMatchObject({ acted_count: 3, harm_count: 0, used_count: 1 })
    expect(await countStores(loom.database)).toEqual(before)
    expect(await loom.call('memory.outcome', { memory_key: 'lamp', outcome: 'negative', run_id: 'r1' })).toMatchObject({
      reason: 'repeated',
    })
  })

  it('is told already where the run told it when it ended', async () => {
    expect(await complete('r2', { memories_used: ['lamp', 'stairs'], outcome: 'negative', weight: 2 })).toMatchObject({
      used: 2,
      outcome_applied: 2,
    })
    expect(await get('stairs')).toMatchObject({ harm_count: 2, used_count: 2 })
    expect(await tell('r2', 'positive')).toMatchObject({ recorded: 0, rows: [{ reason: 'repeated' }, { reason: 'repeated' }] })
    expect(await complete('r2', { memories_used: ['lamp', 'stairs'], outcome: 'negative', weight: 2 })).toMatchObject({
      noop: true,
      outcome_applied: 0,
    })
    expect(await get('stairs')).toMatchObject({ harm_count: 2, used_count: 2 })
    await complete('r3', { memories_used: ['lamp'], outcome: 'neutral' })
    expect(await get('lamp')).toMatchObject({ acted_count: 3, harm_count: 2, used_count: 3 })
  })

  it('quarantines as memory.outcome does [CHG052]', async () => {
    await set('bad', 'The password rotates on Sundays.')
    for (const run of ['n1', 'n2', 'n3']) await complete(run, { memories_used: ['bad'] })
    await tell('n1', 'negative')
    await tell('n2', 'negative')
    const before = await countStores(loom.database)
    expect(await tell('n3', 'negative')).toMatchObject({ recorded: 1, rows: [{ recorded: true, quarantined: true }] })
    expect(await countStores(loom.database)).toEqual({ ...before, versions: before.versions + 1, audit: before.audit + 1 })
    expect(await get('bad')).toMatchObject({ status: 'rejected' })
  })

  it('before a run has ended, tells of what was served to it', async () => {
    const agent: Partial<Caller> = { claims: localClaims('process', 'reader'), mcpSession: 'session-1' }
    await loom.call('memory.get', { memory_key: 'lamp' }, agent)
    await loom.call('memory.set', { memory_key: 'written', value: 'The roof was mended.' }, agent)
    const told = await tell('mcp:session-1', 'positive')
    expect(told).toMatchObject({ found: true, recorded: 1, rows: [{ memory_key: 'lamp', recorded: true }] })
  })

  it('answers that there is no such run, or that it used nothing', async () => {
    expect(await tell('nobody', 'positive')).toEqual({ found: false, run_id: 'nobody', recorded: 0, rows: [] })
    await loom.call('run.start', { run_id: 'idle' })
    expect(await tell('idle', 'positive')).toEqual({ found: true, run_id: 'idle', recorded: 0, rows: [] })
    await refused(tell('idle', 'positive', { weight: 11 }), 'INVALID_ARGUMENT')
  })

  it('[API031] sees the runs and rows of a bound token alone', async () => {
    const claims = { ...localClaims('process', 'bot'), grants: { local: 'writer' as const }, user_id: 'ada' }
    expect(await loom.call('memory.outcome_run', { run_id: 'r1', outcome: 'negative' }, { claims })).toMatchObject({
      found: false,
      rows: [],
    })
    await complete('ada-run', { user_id: 'ada', memories_used: ['lamp'] })
    const told = await loom.call('memory.outcome_run', { run_id: 'ada-run', outcome: 'negative' }, { claims })
    expect(told).toMatchObject({ found: true, recorded: 0, rows: [{ memory_id: '', reason: 'not_found' }] })
  })

  it('counts the row of the run’s own identity, where several hold the key', async () => {
    const ids = await Promise.all(
      ['-', 'ada', 'bob'].map(async (user_id) => (await set('seat', `The seat of ${user_id} is by the window.`, { user_id })).memory_id),
    )
    await complete('seated', { user_id: 'ada', memories_used: ['seat'] })
    expect((await tell('seated', 'positive')).rows.map((row) => row.memory_id)).toEqual([ids[1]])
    await complete('stands', { user_id: 'eve', memories_used: ['seat'] })
    expect((await tell('stands', 'positive')).rows.map((row) => row.memory_id).sort()).toEqual([...ids].sort())
  })
})
