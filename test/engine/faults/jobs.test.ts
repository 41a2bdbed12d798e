import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JOBS } from '../../../shared/engine/jobs/all-jobs.ts'
import { changed, expectWhole, openFaultyEngine, type FaultyEngine, type Space } from './space.ts'

/** One piece of work for one background pass, and what it leaves behind when it is done. */
interface JobCase {
  readonly name: string
  readonly job: string
  readonly before: (space: Space) => Promise<unknown>
  readonly after: (space: Space) => Promise<void>
}

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'
const TEXT = 'The archive is rebuilt every night.'
const MINUTE = 60_000

let engine: FaultyEngine
let broken = 0
beforeAll(async () => {
  engine = await openFaultyEngine({ bulkConflictChecks: 0 })
})
afterAll(async () => {
  process.stderr.write(`${CASES.length} pieces of background work, broken at ${broken} statements\n`)
  await engine.close()
})

const get = (space: Space, memory_key: string) => space.call('memory.get', { memory_key })
const store = (space: Space) => space.loom.database.reader
const historyOf = async (space: Space, memory_key: string) => (await space.call('memory.history', { memory_key })).rows.length

const expiring =
  (on_expire: string, more: object = {}) =>
  async (space: Space) => {
    await space.set('brief', `Visitor 7 has a badge. ${'It is told at great length. '.repeat(60)}`, { ttl_seconds: 60, on_expire, ...more })
    space.later(MINUTE + 1)
  }
/** An entry past the cap of a bulk write is stored, and not judged. */
const unjudged = async (space: Space) => {
  await space.set('deploy/window/prod', HELD)
  await space.call('memory.bulk_set', { entries: [{ memory_key: 'ops/deploys', value: AGAINST }] })
}

const CASES: readonly JobCase[] = [
  {
    name: 'expiry that tombstones',
    job: 'expiry',
    before: expiring('tombstone'),
    async after(space) {
      expect(await get(space, 'brief')).toMatchObject({ found: false, reason: 'deleted' })
      expect(await historyOf(space, 'brief')).toBe(2)
    },
  },
  {
    name: 'expiry that demotes',
    job: 'expiry',
    before: expiring('demote'),
    async after(space) {
      expect(await get(space, 'brief')).toMatchObject({ confidence: 0.5, expires_at: null })
      expect(await historyOf(space, 'brief')).toBe(2)
    },
  },
  {
    name: 'expiry that anonymizes',
    job: 'expiry',
    before: expiring('anonymize', { relations: [['visitor', 'has', 'badge']] }),
    async after(space) {
      expect(await get(space, 'brief')).toMatchObject({ value: '[anonymized]', relations: [], chunks: 0 })
      expect(await historyOf(space, 'brief')).toBe(2)
    },
  },
  {
    name: 'sensitivity that raises a row to high',
    job: 'sensitivity',
    before: async (space) => {
      await space.set('code', 'The code word of the east kitchen is kettle.', { tags: ['codes'] })
      await space.call('namespace.register', { tag_registry: { codes: { sensitivity: 'high' } } })
    },
    async after(space) {
      expect(await get(space, 'code')).toMatchObject({ sensitivity: 'high' })
      expect(await historyOf(space, 'code')).toBe(2)
    },
  },
  {
    name: 'restamp of a window',
    job: 'restamp',
    before: async (space) => {
      await space.set('note', TEXT)
      await space.call('namespace.register', { retention: { semantic: { ttl_seconds: 300_000_000 } } })
    },
    async after(space) {
      expect(await get(space, 'note')).toMatchObject({ expire_reason: 'retention:semantic' })
      expect(await historyOf(space, 'note')).toBe(1)
    },
  },
  {
    name: 'conflict_resolver that finds what was not judged',
    job: 'conflict_resolver',
    before: unjudged,
    async after(space) {
      const { pairs } = await space.call('conflicts.list', {})
      expect(pairs).toMatchObject([{ origin: 'resolver', row: { memory_key: 'ops/deploys', status: 'conflicted' } }])
    },
  },
  {
    name: 'conflict_resolver that clears a flag',
    job: 'conflict_resolver',
    before: async (space) => {
      await space.set('deploy/window/prod', HELD)
      await space.set('ops/deploys', AGAINST)
      await space.call('memory.delete', { memory_key: 'deploy/window/prod' })
    },
    async after(space) {
      expect(await get(space, 'ops/deploys')).toMatchObject({ status: 'active' })
      expect(await historyOf(space, 'ops/deploys')).toBe(2)
    },
  },
  {
    name: 'conflict_resolver that revives an orphan',
    job: 'conflict_resolver',
    before: async (space) => {
      for (const run_id of ['r1', 'r2', 'r3']) await space.set(`fact/${run_id}`, TEXT, { run_id })
      await space.call('memory.delete', { memory_key: 'fact/r1' })
    },
    async after(space) {
      expect(await get(space, 'fact/r2')).toMatchObject({ status: 'active' })
      expect(await get(space, 'fact/r3')).toMatchObject({ status: 'duplicate', canonical_key: 'fact/r2' })
    },
  },
  {
    name: 'embed_missing',
    job: 'embed_missing',
    before: async (space) => {
      const { memory_id } = await space.set('note', TEXT)
      await sql`DELETE FROM loom.memory_embedding WHERE memory_id = ${memory_id}`.execute(store(space))
    },
    async after() {},
  },
  {
    name: 'entity_extractor',
    job: 'entity_extractor',
    before: (space) => space.set('lead', 'Grace Hopper leads the Platform Team in Lisbon.'),
    async after(space) {
      expect((await get(space, 'lead')).entities).toContain('grace hopper')
      expect(await historyOf(space, 'lead')).toBe(1)
    },
  },
  {
    name: 'audit_seal',
    job: 'audit_seal',
    before: (space) => space.set('note', TEXT),
    async after(space) {
      expect((await space.call('audit.list', { verify: true })).chain).toMatchObject({ ok: true, rows_unsealed: 0 })
    },
  },
]

/** Has one pass run, alone of all, as its time comes. */
async function runAlone(job: string): Promise<void> {
  engine.now += 24 * 3600 * 1000
  const [then, soon] = [new Date(0), new Date(engine.now + MINUTE)]
  await sql`UPDATE loom.worker_lease SET expires_at = NULL, ran_at = CASE WHEN worker = ${job} THEN ${then}::timestamptz ELSE ${soon}::timestamptz END`.execute(
    engine.loom.database.reader,
  )
}

describe('a fault at any statement of a background pass leaves every row whole, and the next run finishes it', { timeout: 60_000 }, () => {
  test.each(CASES.map((one) => [one.name, one] as const))('%s', async (name, { job, before, after }) => {
    expect(JOBS.map((one) => one.name)).toContain(job)
    // What the setting up of others left to do is done.
    await engine.loom.engine.runDueJobs(new Date((engine.now += 24 * 3600 * 1000)))
    const space = engine.space()
    await before(space)
    let runs = 0
    for (let at = 1; ; at++) {
      // Other passes were woken by what came before; only this one is due.
      await runAlone(job)
      engine.watch.breakAt(at, 'before')
      const ran = await engine.watch.run(() => engine.loom.engine.runDueJobs()).catch(() => [])
      const { statement, torn } = engine.watch.end()
      const when = `${name}, statement ${at}: ${statement}`
      expect(torn, when).toEqual([])
      if (job !== 'embed_missing' || statement === '') await expectWhole(engine, space.namespace, when)
      if (statement === '') {
        expect(ran, when).toContain(job)
        break
      }
      broken++
      runs++
    }
    expect(runs, name).toBeGreaterThan(5)
    await after(space)
    const done = await engine.watch.fingerprints()
    await runAlone(job)
    await engine.loom.engine.runDueJobs()
    const again = changed(done, await engine.watch.fingerprints()).filter((table) => table !== 'job')
    expect(again, `${name} once more`).toEqual([])
  })
})
