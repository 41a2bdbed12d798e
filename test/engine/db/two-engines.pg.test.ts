import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compactChanges, movePosition } from '../../../shared/engine/shapes/change-log.ts'
import { watchTables } from '../../../shared/engine/shapes/triggers.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const DOCUMENTED = {
  memory_key: 'deploy/window/prod',
  value: 'Production deploys run Tuesday and Thursday only; never Friday.',
  tags: ['deploy', 'policy'],
  entities: ['production'],
}

describe('two engines on one Postgres', needs(postgres()), () => {
  let scratch: ScratchDatabase
  let engines: readonly [TestEngine, TestEngine]
  beforeAll(async () => {
    scratch = await scratchDatabase()
    const open = () => openTestEngine({ postgresUrl: scratch.url, models: NO_MODELS, host: 'server' })
    engines = await Promise.all([open(), open()])
  })
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()))
    await scratch.drop()
  })

  const versionsOf = async (key: string): Promise<readonly bigint[]> => {
    const { rows } = await engines[0].call('memory.history', { memory_key: key, limit: 200 })
    return rows.map((row) => row.version)
  }

  test('writers of one key take turns: every value is in history, under one id, with versions that only grow', async () => {
    const writes = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        engines[n % 2 === 0 ? 0 : 1].call('memory.set', { memory_key: 'counter', value: `The counter stood at ${n}.` }),
      ),
    )
    expect(new Set(writes.map((write) => write.memory_id)).size).toBe(1)
    const versions = await versionsOf('counter')
    expect(versions).toHaveLength(40)
    expect(new Set(versions)).toEqual(new Set(writes.map((write) => write.version)))
    expect(versions).toEqual([...versions].sort((a, b) => (a > b ? -1 : 1)))
    const head = await engines[1].call('memory.get', { memory_key: 'counter' })
    expect(head).toMatchObject({ found: true, version: versions[0] })
  })

  test('of writers with one hash on two engines one wins, and none reads the key in between [PRE010, PRE012]', async () => {
    for (const round of [0, 1, 2]) {
      const memory_key = `hash/${round}`
      const first = await engines[0].call('memory.set', { memory_key, value: `Round ${round} begins.` })
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_, n) => {
          const change = { memory_key, value: `Writer ${n} had round ${round}.`, if_match_sha256: first.content_sha256 }
          const engine = engines[n % 2 === 0 ? 0 : 1]
          return n % 3 === 0 ? engine.call('memory.update', change) : engine.call('memory.set', change)
        }),
      )
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'PRECONDITION_FAILED' })
      }
      expect(await versionsOf(memory_key)).toHaveLength(2)
    }
  })

  test('a first write of one key at once makes one row', async () => {
    for (let round = 0; round < 5; round++) {
      const memory_key = `first/${round}`
      const both = await Promise.all(
        engines.map((engine, at) => engine.call('memory.set', { memory_key, value: `Value ${at} of round ${round}.` })),
      )
      expect(new Set(both.map((write) => write.memory_id)).size).toBe(1)
      expect(await versionsOf(memory_key)).toHaveLength(2)
    }
  })

  test('a version follows the head that it replaces, even where the other engine’s clock is far ahead', async () => {
    const ahead = await openTestEngine({
      postgresUrl: scratch.url,
      models: NO_MODELS,
      clock: () => Date.now() + 3_600_000,
    })
    const first = await ahead.call('memory.set', { memory_key: 'clocks', value: 'Written an hour ahead.' })
    const second = await engines[0].call('memory.set', { memory_key: 'clocks', value: 'Written now.' })
    const third = await engines[1].call('memory.delete', { memory_key: 'clocks' })
    await ahead.close()
    expect(second.version).toBeGreaterThan(first.version)
    expect(third.version).toBeGreaterThan(second.version)
  })

  test('set, delete and restore of one key at once end whole, with no error but those documented', async () => {
    await engines[0].call('memory.set', { memory_key: 'busy', value: 'The lamp is on.' })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, n) => {
        const engine = engines[n % 2 === 0 ? 0 : 1]
        if (n % 3 === 0) return engine.call('memory.set', { memory_key: 'busy', value: `The lamp is at ${n}.` })
        if (n % 3 === 1) return engine.call('memory.delete', { memory_key: 'busy' })
        return engine.call('memory.restore', { memory_key: 'busy' })
      }),
    )
    const failed = outcomes.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))
    expect(failed.filter((code) => code !== 'UNAVAILABLE')).toEqual([])
    const versions = await versionsOf('busy')
    expect(new Set(versions).size).toBe(versions.length)
    const { rows } = await engines[0].call('memory.list', { key_prefix: 'busy', status: ['active', 'tombstoned'] })
    expect(rows).toHaveLength(1)
  })

  test('a restore by both at once revives the row once', async () => {
    for (let round = 0; round < 8; round++) {
      const memory_key = `revive/${round}`
      await engines[0].call('memory.set', { memory_key, value: `Shelf ${round} holds the spare keys.` })
      await engines[0].call('memory.delete', { memory_key })
      const both = await Promise.allSettled(engines.map((engine) => engine.call('memory.restore', { memory_key })))
      const restored = both.map((one) => (one.status === 'rejected' ? (one.reason as Error).message : one.value.restored))
      expect(new Set(restored)).toEqual(new Set([true, false]))
      expect(await versionsOf(memory_key)).toHaveLength(3)
    }
  })

  test('each finds by search, and judges by, what the other has just written, changed or taken away', async () => {
    await watchTables(engines[0].database)
    const found = async (at: 0 | 1): Promise<string[]> =>
      (await engines[at].call('memory.search', { query: 'marmalade pantry shelf' })).results.map((hit) => hit.memory_key)
    for (let round = 0; round < 10; round++) {
      const memory_key = `pantry/${round}`
      await engines[0].call('memory.set', { memory_key, value: `The marmalade of the pantry stands on shelf ${round}.` })
      expect(await found(1)).toContain(memory_key)
      const repeated = await engines[1].call('memory.set', {
        memory_key: 'copy',
        value: `The marmalade of the pantry stands on shelf ${round}.`,
      })
      expect(repeated).toMatchObject({ conflict_verdict: 'merge', merged_into_key: memory_key })
      await engines[1].call('memory.delete', { memory_key })
      expect(await found(0)).not.toContain(memory_key)
    }
  })

  test('one that stood still while the log was cleared reads everything anew', async () => {
    await watchTables(engines[0].database)
    await engines[1].call('memory.search', { query: 'attic' })
    await engines[0].call('memory.set', { memory_key: 'attic', value: 'The attic has a round window.' })
    const { org } = await engines[0].database.reader
      .selectFrom('memory')
      .select('org')
      .where('memory_key', '=', 'attic')
      .executeTakeFirstOrThrow()
    await engines[0].database.transaction(async (tx) => {
      await movePosition(tx, org, 2n ** 40n)
      expect(await compactChanges(tx, org, null)).toBeGreaterThan(0)
    })
    const { results } = await engines[1].call('memory.search', { query: 'attic window' })
    expect(results.map((hit) => hit.memory_key)).toContain('attic')
  })

  test('an idempotency key sent to both at once writes once', async () => {
    const call = { memory_key: 'idem', value: 'Sent twice, written once.' }
    const both = await Promise.allSettled(engines.map((engine) => engine.call('memory.set', call, { idempotencyKey: 'once' })))
    const done = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value.version] : []))
    expect(done.length).toBeGreaterThan(0)
    expect(new Set(done).size).toBe(1)
    expect(
      both
        .flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []))
        .filter((code) => code !== 'IN_PROGRESS'),
    ).toEqual([])
    expect(await versionsOf('idem')).toHaveLength(1)
  })
})

describe('an engine on Postgres', needs(postgres()), () => {
  test('[SET022][VER014] stores, judges and finds the documented example, and has it after a restart', { timeout: 90_000 }, async () => {
    const scratch = await scratchDatabase()
    const first = await openTestEngine({ postgresUrl: scratch.url, host: 'server' })
    const set = await first.call('memory.set', DOCUMENTED)
    expect(set).toMatchObject({ conflict_verdict: 'clear', noop: false, degraded: [] })
    const other = await first.call('memory.set', { memory_key: 'ops/deploys', value: 'Production deploys run Monday to Thursday.' })
    expect(other).toMatchObject({ conflict_verdict: 'conflict', peers: [expect.objectContaining({ memory_key: 'deploy/window/prod' })] })
    expect(other.next).toContain("memory.update(memory_key='deploy/window/prod'")
    const found = await first.call('memory.search', { query: 'when do we deploy' })
    expect(found.results[0]?.memory_key).toBe('deploy/window/prod')
    await first.close()

    const second = await openTestEngine({ postgresUrl: scratch.url, host: 'server' })
    const got = await second.call('memory.get', { memory_key: 'deploy/window/prod' })
    expect(got).toMatchObject({
      found: true,
      value: DOCUMENTED.value,
      version: set.version,
      tags: DOCUMENTED.tags,
      conflict_verdict: 'clear',
    })
    const search = () => second.call('memory.search', { query: 'when do we deploy' })
    await expect.poll(async () => (await search()).degraded).toEqual([])
    expect((await search()).results[0]).toMatchObject({ memory_key: 'deploy/window/prod' })
    expect(await second.call('engine.info', {})).toMatchObject({ storage: { kind: 'postgres' }, host: 'server' })
    await second.close()
    await scratch.drop()
  })
})
