import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestEngine, type TestEngine, type TestEngineOptions } from '../../helpers/engine.ts'
import { scratchDatabase } from '../../helpers/postgres.ts'

/** Three batches of the fill: the first is in before the engine opens, the second is held. */
const FACTS = 1004
const BATCH = 500
const SYLLABLES = ['ba', 'ko', 'mi', 'ru', 'te', 'sa', 'lo', 'ni', 'du', 'fe']
/** A name of its own for each number below 10,000. */
const name = (n: number): string => [n % 10, (n / 10) % 10, (n / 100) % 10, n / 1000].map((digit) => SYLLABLES[Math.floor(digit)]).join('')
const FRIDAY = 'We deploy the payments service on Friday afternoon.'
const KYOTO = '京都の倉庫は毎週火曜日に在庫を数えます。'

let store: Pick<TestEngineOptions, 'folder' | 'postgresUrl'>
let removeStore: () => Promise<void>
let open: TestEngine | null = null

/** Lets the fill of the index go on as far as is wanted. */
function gate() {
  let [reads, release] = [0, (): void => {}]
  const opened = new Promise<void>((resolve) => (release = resolve))
  let failures = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const [row] = result.rows as Record<string, unknown>[]
      // Only the fill reads so many heads at once without where they came from.
      if (row && result.rows.length === BATCH && 'content_sha256' in row && !('source_trace' in row) && ++reads === 2) {
        await opened
        if (failures-- > 0) throw new Error('the disk did not answer')
      }
      return result
    },
  }
  return { plugin, release, failOnce: () => (failures = 1) }
}

async function reopen(held = gate()) {
  open = await openTestEngine({ ...store, reading: (reader) => reader.withPlugin(held.plugin) })
  return { ...open, ...held }
}

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loom-cold-'))
  const scratch = process.env['LOOM_TEST_DATABASE'] === 'postgres' ? await scratchDatabase() : null
  store = { folder, ...(scratch && { postgresUrl: scratch.url }) }
  removeStore = async () => {
    await scratch?.drop()
    await rm(folder, { recursive: true, force: true })
  }
  const { call, close } = await openTestEngine(store)
  const entries = Array.from({ length: FACTS - 4 }, (_, n) => ({
    memory_key: `people/${name(n)}`,
    value: `${name(n)} plays chess with ${name((n * 7) % 10_000)}.`,
  }))
  await call('memory.bulk_set', { entries })
  await call('memory.set', { memory_key: 'deploy/day', value: FRIDAY })
  await call('memory.set', { memory_key: 'league', value: 'Zorabel plays chess with whoever comes.', tags: ['club'] })
  await call('memory.set', { memory_key: 'kyoto', value: KYOTO })
  await call('memory.set', { memory_key: 'office/pets', value: 'Nobody brings a dog to the office.' })
  await close()
}, 120_000)
afterEach(async () => {
  await open?.close()
  open = null
})
afterAll(() => removeStore())

describe('while the index is being filled', () => {
  test('a search is answered from the store: by words, meaning, key and script, as the full index answers', async () => {
    const { call, release, engine } = await reopen()
    const queries = ['when do we deploy payments', 'animals at work', 'deploy/day', '京都の倉庫', `who plays chess with ${name(7)}`]
    const first = async (query: string) => (await call('memory.search', { query })).results[0]?.memory_key
    expect((await call('memory.search', { query: 'deploy' })).degraded).toContain('index_cold')
    expect((await call('engine.info', {})).index.ready).toBe(false)
    expect(engine.health().degraded).toContain('index_cold')
    const cold = await Promise.all(queries.map(first))
    expect(cold.slice(0, 4)).toEqual(['deploy/day', 'office/pets', 'deploy/day', 'kyoto'])
    // A filter may leave none of the rows that are near: such a search waits for all of them.
    const tagged = call('memory.search', { query: 'who plays with whoever comes', tags: ['club'] })

    release()
    expect((await tagged).results.map((hit) => hit.memory_key)).toEqual(['league'])
    expect((await tagged).degraded).not.toContain('index_cold')
    const warm = await call('memory.search', { query: 'deploy' })
    expect(warm.degraded).not.toContain('index_cold')
    expect((await call('engine.info', {})).index).toMatchObject({ ready: true, rows: FACTS })
    expect(await Promise.all(queries.map(first))).toEqual(cold)
  })

  test('a write waits, and is judged against every row', async () => {
    const { call, release } = await reopen()
    let done = false
    const written = call('memory.set', {
      memory_key: 'deploy/when',
      value: 'We deploy the payments service on Monday afternoon.',
      dry_run: true,
    }).finally(() => (done = true))
    await call('memory.list', { limit: 1 })
    expect((await call('memory.search', { query: 'deploy' })).degraded).toContain('index_cold')
    expect(done).toBe(false)
    release()
    expect(await written).toMatchObject({ conflict_verdict: 'conflict', peers: [{ memory_key: 'deploy/day' }] })
  })

  test('nobody waits for ever: who does is told when to come back', async () => {
    const { call, release } = await reopen()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const refused = expect(call('memory.stats', {})).rejects.toMatchObject({ code: 'UNAVAILABLE', fields: { retry_after_s: 5 } })
      await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0))
      vi.advanceTimersByTime(20_000)
      await refused
    } finally {
      vi.useRealTimers()
    }
    release()
    expect((await call('memory.stats', {})).total).toBe(FACTS)
  })

  test('a fill that failed is begun again by who needs it', async () => {
    const { call, release, failOnce } = await reopen()
    failOnce()
    release()
    await expect(call('memory.stats', {})).rejects.toMatchObject({ code: 'INTERNAL' })
    expect((await call('memory.search', { query: 'when do we deploy' })).results[0]?.memory_key).toBe('deploy/day')
    await call('memory.stats', {})
    expect((await call('engine.info', {})).index).toMatchObject({ ready: true, rows: FACTS })
  })

  test('an engine that closes tells who waited', async () => {
    const { call, engine, release } = await reopen()
    const waiting = call('memory.stats', {})
    const refused = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const closing = engine.close()
    release()
    await Promise.all([refused, closing])
  })
})
