import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

const DAY = 24 * 3600 * 1000

describe('memory.digests', () => {
  let loom: TestEngine
  // A Tuesday.
  let now = Date.parse('2026-03-03T10:00:00Z')
  const at = { namespace: 'works' }
  const set = (memory_key: string, value: unknown, more: object = {}) => {
    now += 1000
    return loom.call('memory.set', { ...at, memory_key, value, ...more } as never)
  }
  const digests = async (more: object = {}) => (await loom.call('memory.digests', { ...at, ...more })).digests
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
    await set('pump', 'The pump leaks at the seal.')
    await set('valve', 'The valve is closed at night.')
    await set('secret', 'The gate code is kept by Ada.', { sensitivity: 'high' })
    await set('feed', 'The river rises in May.', { source_class: 'external' })
    await set('bobs', 'Bob paints the fence.', { user_id: 'bob' })
    now += DAY
    await set('pump', 'The pump no longer leaks.')
    await loom.call('memory.delete', { ...at, memory_key: 'valve' })
    expect(await digests()).toEqual([])
  })
  afterAll(() => loom.close())

  it('writes one for each namespace, user and period, once the period is over', async () => {
    await loom.engine.runDueJobs(new Date((now += 2 * 3600 * 1000)))
    expect(await digests()).toEqual([])
    const [first, ...more] = await digests({ period: 'day' })
    expect(first).toMatchObject({
      period: 'day',
      period_start: '2026-03-03T00:00:00.000Z',
      period_end: '2026-03-04T00:00:00.000Z',
      counts: { written: 1, revised: 0, retired: 0, deleted: 0 },
      model: '',
    })
    expect(more).toHaveLength(1)
    now = Date.parse('2026-03-09T00:00:01Z')
    await loom.engine.runDueJobs(new Date((now += 2 * 3600 * 1000)))
    const [week] = await digests({ user_id: 'bob' })
    expect(week).toMatchObject({
      text: '1 memory written, 0 revised, 0 retired, 0 deleted.\n- Bob paints the fence. [bobs]',
      memory_keys: ['bobs'],
    })
  })

  it('[KEY031] [PRV008] counts and quotes what stands, and neither high rows nor what nobody attested', async () => {
    const week = (await digests()).find((one) => !one.memory_keys.includes('bobs'))
    expect(week).toMatchObject({
      period_start: '2026-03-02T00:00:00.000Z',
      counts: { written: 2, revised: 1, retired: 0, deleted: 1 },
      memory_keys: ['pump'],
      text: '2 memories written, 1 revised, 0 retired, 1 deleted.\n- The pump no longer leaks. [pump]',
    })
  })

  it('keeps no word of a memory: what is redacted or deleted since is not in it', async () => {
    const { version } = await set('pump', 'The pump is replaced.')
    await loom.call('memory.delete', { ...at, memory_key: 'pump' })
    expect(version).toBeGreaterThan(0n)
    const week = (await digests()).find((one) => !one.memory_keys.includes('bobs'))
    expect(week).toMatchObject({ memory_keys: [], text: expect.not.stringContaining('pump') })
  })

  it('writes each once, and none is a memory row [WHK047]', async () => {
    const before = await digests({ period: 'day' })
    const rows = async () => (await loom.call('memory.list', { ...at, with_total: true })).total
    const total = await rows()
    await loom.engine.runDueJobs(new Date((now += 2 * 3600 * 1000)))
    expect((await digests({ period: 'day' })).filter((one) => before.some((old) => old.period_start === one.period_start))).toEqual(before)
    expect(await rows()).toBe(total)
  })

  it('pages through periods, and names them as backlinks', async () => {
    const page = await loom.call('memory.digests', { ...at, period: 'day', limit: 1 })
    expect(page.digests).toHaveLength(1)
    const next = await loom.call('memory.digests', { ...at, period: 'day', limit: 1, cursor: page.next_cursor ?? '' })
    expect(next.digests[0]?.digest_id).not.toBe(page.digests[0]?.digest_id)
    await refused(loom.call('memory.digests', { ...at, period: 'week', cursor: page.next_cursor ?? '' }), 'INVALID_CURSOR')
    const { digests: named } = await loom.call('memory.backlinks', { ...at, memory_key: 'bobs', user_id: 'bob' })
    expect(named.map((one) => one.period)).toEqual(expect.arrayContaining(['day', 'week']))
  })

  it('[API031] shows a bound token its own user’s alone', async () => {
    const claims = { ...localClaims('human', 'bob'), user_id: 'bob' }
    const { digests: own } = await loom.call('memory.digests', at, { claims })
    expect(own.map((one) => one.memory_keys)).toEqual([['bobs']])
    const session = { ...localClaims('human', 'bob'), own_session: true, session_id: 's' }
    expect((await loom.call('memory.digests', at, { claims: session })).digests).toEqual([])
  })
})
