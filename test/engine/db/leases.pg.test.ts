import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

describe('leases and scratch values of two processes on one Postgres', needs(postgres()), () => {
  let scratch: ScratchDatabase
  let engines: readonly [TestEngine, TestEngine]
  beforeAll(async () => {
    scratch = await scratchDatabase()
    const open = (clock: () => number) => openTestEngine({ postgresUrl: scratch.url, models: NO_MODELS, host: 'server', clock })
    // The clock of one is an hour ahead: the time of a lease is the database's.
    engines = await Promise.all([open(Date.now), open(() => Date.now() + 3_600_000)])
  })
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()))
    await scratch.drop()
  })

  const of = (n: number): TestEngine => engines[n % 2 === 0 ? 0 : 1]

  test('a lease never has two holders, and each holder’s fence is greater', async () => {
    const fences: bigint[] = []
    for (let round = 0; round < 10; round++) {
      const all = await Promise.all(
        Array.from({ length: 12 }, (_, n) => of(n).call('working_memory.acquire', { name: 'leader', agent: `a${n}` })),
      )
      const taken = all.filter((one) => one.acquired)
      expect(taken).toHaveLength(1)
      fences.push(taken[0]?.fence ?? 0n)
      expect(await of(round).call('working_memory.release', { name: 'leader', lease_id: taken[0]?.lease_id ?? '' })).toEqual({
        released: true,
      })
    }
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => (a < b ? -1 : 1)))
  })

  test('a process whose clock is ahead takes no lease that still holds', async () => {
    const first = await engines[0].call('working_memory.acquire', { name: 'steady', ttl_seconds: 600 })
    expect(await engines[1].call('working_memory.acquire', { name: 'steady' })).toMatchObject({ acquired: false })
    expect((await engines[1].call('working_memory.list', {})).leases.map((one) => one.name)).toContain('steady')
    expect(await engines[1].call('working_memory.acquire', { name: 'steady', lease_id: first.lease_id ?? '' })).toMatchObject({
      fence: first.fence,
    })
  })

  test('of writers on one version one wins', async () => {
    const { version } = await engines[0].call('working_memory.set', { key: 'cursor', value: 0 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => of(n).call('working_memory.set', { key: 'cursor', value: n, if_version: version })),
    )
    expect(outcomes.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    for (const one of outcomes) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'PRECONDITION_FAILED' })
  })

  test('a run is completed once, and its outcome told once', async () => {
    await engines[0].call('memory.set', { memory_key: 'lamp', value: 'The lamp is brass.', run_id: 'r' })
    const end: CallInputOf<'run.complete'> = {
      run_id: 'r',
      status: 'completed',
      memories_used: ['lamp'],
      outcome: 'positive',
      retain: 'demote',
    }
    const all = await Promise.all(Array.from({ length: 8 }, (_, n) => of(n).call('run.complete', end)))
    expect(all.filter((one) => !one.noop)).toHaveLength(1)
    expect(await engines[1].call('memory.get', { memory_key: 'lamp' })).toMatchObject({ acted_count: 1, used_count: 1, confidence: 0.5 })
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, n) => of(n).call('run.event', { run_id: 'r', events: [{ kind: 'note' }, { kind: 'note' }] })),
    )
    expect(told.map((one) => one.last_seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => (n + 1) * 2))
  })
})
