import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryPin } from '../../../shared/contract/ops/memory/pin.ts'
import { memorySet } from '../../../shared/contract/ops/memory/set.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('memory.pin', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  const pin = (memory_key: string, value: string) => loom.call('memory.pin', { memory_key, value })

  it('takes the input of memory.set and saves a fact that later sets cannot replace [CHG001]', async () => {
    expect(Object.keys(memoryPin.input.shape).sort()).toEqual(Object.keys(memorySet.input.shape).sort())
    expect(await pin('rule/backup', 'Backups are kept for 30 days.')).toMatchObject({ pinned: true, status: 'active', noop: false })
    await refused(loom.call('memory.set', { memory_key: 'rule/backup', value: 'Backups are kept for 90 days.' }), 'PINNED_CONFLICT')
    await refused(pin('rule/backup', 'Backups are kept for 90 days.'), 'PINNED_CONFLICT')
    await refused(loom.call('memory.pin', { memory_key: 'x', value: 'y', pinned: false as never }), 'INVALID_ARGUMENT')
  })

  it('sets the pin alone on the same value, with an audit row and no version', async () => {
    const row = await loom.call('memory.set', { memory_key: 'same', value: 'The vault door is green.' })
    const before = await countStores(loom.database)
    expect(await pin('same', 'The vault door is green.')).toMatchObject({ pinned: true, version: row.version })
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
    await pin('same', 'The vault door is green.')
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
  })

  it('pins the holder of a merge instead of storing a twin', async () => {
    await loom.call('memory.set', { memory_key: 'held', value: 'The ferry leaves at nine.' })
    const merged = await pin('twin', 'the ferry leaves at nine')
    expect(merged).toMatchObject({ conflict_verdict: 'merge', merged_into_key: 'held', pinned: true, noop: false })
    expect(await loom.call('memory.get', { memory_key: 'held' })).toMatchObject({ pinned: true })
  })
})

describe('verdicts without the models', () => {
  it('rest on the likeness of words alone, and the docs say to judge verdicts with the real ones [LIM007]', async () => {
    const bare = await openTestEngine({ models: NO_MODELS })
    await bare.call('memory.set', { memory_key: 'a', value: 'The rate limit is 100 requests a minute.' })
    const set = await bare.call('memory.set', { memory_key: 'b', value: 'The rate limit is 200 requests a minute.' })
    expect(set).toMatchObject({ conflict_verdict: 'conflict', degraded: expect.arrayContaining(['embedder']) as unknown })
    await bare.close()
    const readme = await readFile(join(import.meta.dirname, '../../../README.md'), 'utf8')
    expect(readme).toMatch(/Without the models.*likeness of words alone.*judge verdicts only with the real ones/s)
  })
})
