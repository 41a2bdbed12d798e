import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { brokenPromises } from '../../helpers/invariants.ts'

const DAY = 24 * 3600 * 1000
const namespace = 'sweep'

let loom: TestEngine
let now = Date.parse('2026-03-02T10:00:00Z')
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => now })
})
afterAll(() => loom.close())

const set = (memory_key: string, value: string, more: object = {}) => loom.call('memory.set', { namespace, memory_key, value, ...more })
const get = (memory_key: string) => loom.call('memory.get', { namespace, memory_key })
const versionsOf = async (memory_key: string) => (await loom.call('memory.history', { namespace, memory_key })).rows
const found = async (query: string) => (await loom.call('memory.search', { namespace, query })).results.map((hit) => hit.memory_key)
const aDayLater = async (): Promise<void> => {
  now += DAY + 60_000
  await loom.engine.runDueJobs()
}

describe('the sensitivity sweep', () => {
  it('relabels rows whose detected level differs from the stored one, once, and leaves stated levels alone [CHG050]', async () => {
    // What is written while detection is off has no level.
    await loom.call('namespace.register', { namespace, sensitivity_autodetect: false })
    await set('card', 'The card of the north office is 4111 1111 1111 1111.')
    await set('mail', 'Ada answers at ada@example.org on weekdays.')
    await set('stated', 'The card of the south office is 5500 0000 0000 0004.', { sensitivity: 'low' })
    await set('plain', 'The kettle in the east kitchen is broken.')
    await set('gone', 'The card of the west office is 3400 0000 0000 009.')
    await loom.call('memory.delete', { namespace, memory_key: 'gone' })
    for (const key of ['card', 'mail', 'plain']) expect(await get(key)).toMatchObject({ sensitivity: '' })
    expect(await found('card of the north office')).toContain('card')
    await aDayLater()
    expect(await get('card')).toMatchObject({ sensitivity: '' })

    await loom.call('namespace.register', { namespace, sensitivity_autodetect: true })
    await aDayLater()
    expect(await get('card')).toMatchObject({ sensitivity: 'high', value: 'The card of the north office is 4111 1111 1111 1111.' })
    expect(await get('mail')).toMatchObject({ sensitivity: 'medium' })
    expect(await get('stated')).toMatchObject({ sensitivity: 'low' })
    expect(await get('plain')).toMatchObject({ sensitivity: '' })
    expect((await versionsOf('card')).map((row) => [row.op, row.sensitivity])).toEqual([
      ['worker:sensitivity', 'high'],
      ['memory.set', ''],
    ])
    expect(await versionsOf('mail')).toHaveLength(2)
    expect(await versionsOf('stated')).toHaveLength(1)
    expect(await versionsOf('plain')).toHaveLength(1)
    expect(await versionsOf('gone')).toHaveLength(2)
    const { rows } = await loom.call('audit.list', { namespace, op: 'worker:sensitivity' })
    expect(new Set(rows.map((row) => `${row.memory_key} ${row.actor} ${row.origin}`))).toEqual(
      new Set(['card worker:sensitivity worker', 'mail worker:sensitivity worker']),
    )
    // High: by key only, and without vectors.
    expect(await found('card of the north office')).not.toContain('card')
    expect(await found('when does Ada answer')).toContain('mail')
    expect(await brokenPromises(loom.database, namespace)).toEqual([])

    await aDayLater()
    expect(await versionsOf('card')).toHaveLength(2)
  })
})
