import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

describe('working_memory.acquire and release', () => {
  let loom: TestEngine
  let now = Date.parse('2026-11-30T12:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS, clock: () => now })
  })
  afterAll(() => loom.close())

  /** Time of a lease is the database's: there it is the lease that moves. */
  async function pass(ms: number): Promise<void> {
    now += ms
    if (loom.database.kind === 'postgres')
      await sql`UPDATE loom.working_lease SET until = until - make_interval(secs => ${ms / 1000})`.execute(loom.database.reader)
  }
  const acquire = (name: string, more: object = {}) => loom.call('working_memory.acquire', { name, ...more })
  const held = async () => (await loom.call('working_memory.list', {})).leases.map((one) => one.name)

  it('excludes across identities, and says who holds it', async () => {
    const first = await acquire('indexer', { agent: 'one', session_id: 's1', note: 'nightly' })
    expect(first).toMatchObject({ acquired: true, lease_id: expect.any(String), held_by: null })
    const second = await acquire('indexer', { agent: 'two' })
    expect(second).toEqual({
      acquired: false,
      lease_id: null,
      fence: null,
      until: null,
      held_by: { agent: 'one', session_id: 's1', note: 'nightly', since: expect.any(String), until: first.until },
    })
    expect(Date.parse(second.held_by?.until ?? '') - Date.parse(second.held_by?.since ?? '')).toBe(60_000)
    expect(await acquire('indexer', { agent: 'one', session_id: 's1' })).toMatchObject({ acquired: false })
    expect(await acquire('indexer', { namespace: 'elsewhere' })).toMatchObject({ acquired: true })
    expect(await held()).toEqual(['indexer'])
  })

  it('renews under its id, keeping the fence', async () => {
    const first = await acquire('renewed', { note: 'kept' })
    await pass(50_000)
    const again = await acquire('renewed', { lease_id: first.lease_id, ttl_seconds: 120 })
    expect(again).toMatchObject({ acquired: true, lease_id: first.lease_id, fence: first.fence })
    await pass(100_000)
    expect(await acquire('renewed', { agent: 'two' })).toMatchObject({ acquired: false, held_by: { note: 'kept' } })
    expect(await acquire('renewed', { lease_id: 'another' })).toMatchObject({ acquired: false })
  })

  it('gives each new holder a greater fence: after the end, a release, and a clock that goes back', async () => {
    const fences: bigint[] = []
    const take = async (more: object = {}) => {
      const taken = await acquire('fenced', more)
      expect(taken.acquired).toBe(true)
      fences.push(taken.fence ?? 0n)
      return taken
    }
    const first = await take({ ttl_seconds: 1 })
    await pass(1000)
    const late = await take({ lease_id: first.lease_id })
    expect(late.lease_id).not.toBe(first.lease_id)
    expect(await loom.call('working_memory.release', { name: 'fenced', lease_id: first.lease_id ?? '' })).toEqual({ released: false })
    expect(await loom.call('working_memory.release', { name: 'fenced', lease_id: late.lease_id ?? '' })).toEqual({ released: true })
    expect(await loom.call('working_memory.release', { name: 'fenced', lease_id: late.lease_id ?? '' })).toEqual({ released: false })
    expect(await held()).not.toContain('fenced')
    now -= 3_600_000
    await take()
    now += 3_600_000
    expect(fences).toEqual([...fences].sort((a, b) => (a < b ? -1 : 1)))
    expect(new Set(fences).size).toBe(3)
  })

  it('gives one of many at once the lease', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => acquire('crowded', { agent: `agent-${n}` })))
    expect(all.filter((one) => one.acquired)).toHaveLength(1)
  })

  it('refuses what is out of range', async () => {
    for (const wrong of [{ ttl_seconds: 0 }, { ttl_seconds: 3601 }, { note: 'x'.repeat(201) }, { name: '' }])
      await refused(acquire('wrong', wrong), 'INVALID_ARGUMENT')
  })

  it('[API031] tells a bound token that a lease is held, and not by whom', async () => {
    await acquire('secret', { agent: 'payroll', user_id: 'bob', session_id: 'bobs', note: 'merging salaries' })
    const claims = { ...localClaims('process', 'bot'), grants: { local: 'writer' as const }, user_id: 'ada' }
    const seen = await loom.call('working_memory.acquire', { name: 'secret' }, { claims })
    expect(seen).toMatchObject({ acquired: false, held_by: { agent: '', session_id: '-', note: '' } })
    expect((await loom.call('working_memory.list', {}, { claims })).leases).toEqual([])
  })

  it('keeps a lease over a restart', async () => {
    if (loom.database.kind === 'postgres') return
    const folder = await mkdtemp(join(tmpdir(), 'loom-lease-'))
    const open = () => openTestEngine({ models: NO_MODELS, clock: () => now, folder })
    const before = await open()
    const first = await before.call('working_memory.acquire', { name: 'restart' })
    await before.close()
    const after = await open()
    expect(await after.call('working_memory.acquire', { name: 'restart' })).toMatchObject({ acquired: false })
    expect(await after.call('working_memory.acquire', { name: 'restart', lease_id: first.lease_id ?? '' })).toMatchObject({
      acquired: true,
      fence: first.fence,
    })
    await after.close()
    await rm(folder, { recursive: true, force: true })
  })
})
