import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'
const TEXT = 'The archive is rebuilt every night.'
const MINUTE = 60_000

let loom: TestEngine
let now = Date.parse('2026-03-02T10:00:00Z')
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => now })
})
afterAll(() => loom.close())

/** A namespace that is taken back over what happens between `before` and `after`. */
function space() {
  const namespace = `rp${++spaces}`
  let to = ''
  const set = (memory_key: string, value: string, more: object = {}) => loom.call('memory.set', { namespace, memory_key, value, ...more })
  return {
    namespace,
    set,
    remember: (): void => {
      now += MINUTE
      to = new Date(now).toISOString()
      now += MINUTE
    },
    takeBack: async (): Promise<void> => {
      now += MINUTE
      await loom.call('namespace.rollback', { namespace, to, reason: 'a mistake', dry_run: false })
      // The passes find nothing to put right.
      now += 3 * MINUTE
      await loom.engine.runDueJobs()
    },
    statuses: async () => {
      const { rows } = await loom.call('memory.list', {
        namespace,
        status: ['active', 'conflicted', 'duplicate', 'tombstoned'],
        sort: 'key',
      })
      return Object.fromEntries(rows.map((row) => [row.memory_key, row.status]))
    },
    pairs: async () =>
      (await loom.call('review.queue', { namespace })).items.map((item) => [item.kind, item.row.memory_key, item.peer?.memory_key]),
  }
}

describe('what a rollback takes back is open again', () => {
  it.each(['keep_row', 'keep_peer', 'keep_both', 'merge'] as const)('a contradiction that was settled since by %s', async (resolution) => {
    const { namespace, set, remember, takeBack, statuses, pairs } = space()
    await set('peer', HELD)
    await set('row', AGAINST)
    remember()
    const value = resolution === 'merge' ? { value: 'Production deploys run on Sundays.' } : {}
    expect(await loom.call('conflicts.resolve', { namespace, memory_key: 'row', resolution, ...value })).toMatchObject({ resolved: true })
    expect(await pairs()).toEqual([])
    await takeBack()
    expect(await statuses()).toEqual({ peer: 'active', row: 'conflicted' })
    expect(await pairs()).toEqual([['conflict', 'row', 'peer']])
    expect(await loom.call('conflicts.resolve', { namespace, memory_key: 'row', resolution: 'keep_peer' })).toMatchObject({
      resolved: true,
    })
  })

  it('a contradiction of which a side was written anew or deleted since', async () => {
    const { namespace, set, remember, takeBack, statuses, pairs } = space()
    await set('peer', HELD)
    await set('row', AGAINST)
    remember()
    await set('row', TEXT)
    await loom.call('memory.delete', { namespace, memory_key: 'peer' })
    await takeBack()
    expect(await statuses()).toEqual({ peer: 'active', row: 'conflicted' })
    expect(await pairs()).toEqual([['conflict', 'row', 'peer']])
  })

  it('a duplicate that took the place of its canonical row since', async () => {
    const { namespace, set, remember, takeBack, statuses, pairs } = space()
    await set('a', TEXT, { run_id: 'r1' })
    await set('b', TEXT, { run_id: 'r2' })
    remember()
    await loom.call('memory.delete', { namespace, memory_key: 'a' })
    now += 3 * MINUTE
    await loom.engine.runDueJobs()
    expect(await statuses()).toEqual({ a: 'tombstoned', b: 'active' })
    await takeBack()
    expect(await statuses()).toEqual({ a: 'active', b: 'duplicate' })
    expect(await pairs()).toEqual([['duplicate', 'b', 'a']])
    expect(await loom.call('memory.dedup_resolve', { namespace, memory_key: 'b', keep: 'canonical' })).toMatchObject({ resolved: true })
  })

  it('and nothing else: a pair that was settled before stays so', async () => {
    const { namespace, set, remember, takeBack, statuses, pairs } = space()
    await set('peer', HELD)
    await set('row', AGAINST)
    await loom.call('conflicts.resolve', { namespace, memory_key: 'row', resolution: 'keep_both' })
    remember()
    await set('row', TEXT)
    await takeBack()
    expect(await statuses()).toEqual({ peer: 'active', row: 'active' })
    expect(await pairs()).toEqual([])
  })
})
