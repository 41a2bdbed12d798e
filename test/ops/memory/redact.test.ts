import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

const SECRET = 'XYZZY-7351'

describe('memory.redact', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const redact = (more: object) => loom.call('memory.redact', { reason: 'a secret', ...more } as never)

  /** How many stored rows of memory still hold a text. */
  async function holding(text: string): Promise<number> {
    const { rows } = await sql<{ found: number }>`SELECT (
      (SELECT count(*) FROM loom.memory m WHERE m::text LIKE ${`%${text}%`}) +
      (SELECT count(*) FROM loom.memory_version v WHERE v::text LIKE ${`%${text}%`}) +
      (SELECT count(*) FROM loom.memory_chunk c WHERE c.text LIKE ${`%${text}%`}) +
      (SELECT count(*) FROM loom.memory_relation r WHERE r::text LIKE ${`%${text}%`}))::int AS found`.execute(loom.database.reader)
    return rows[0]?.found ?? -1
  }

  it('scrubs one past version, which stays listed with its number and times [CHG051]', async () => {
    const value = `The door opens with ${SECRET}.`
    const first = await set('door', value, { tags: [SECRET], entities: [SECRET], source_trace: SECRET, files: [`${SECRET}.txt`] })
    await set('door', 'The door opens with a badge.', { tags: [] })
    const was = (await loom.call('memory.history', { memory_key: 'door' })).rows[1]
    const before = await countStores(loom.database)
    expect(await redact({ memory_key: 'door', version: first.version })).toEqual({
      redacted: true,
      reason: '',
      memory_id: first.memory_id,
      version: first.version,
      version_text: first.version.toString(),
      profiles: [],
    })
    expect(await holding(SECRET)).toBe(0)
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
    const { rows } = await loom.call('memory.history', { memory_key: 'door' })
    expect(rows[1]).toEqual({ ...was, value: null, content_sha256: '', tags: [], entities: [], source_trace: '', redacted: true })
    expect(rows[0]).toMatchObject({ value: 'The door opens with a badge.', redacted: false })
    expect(await redact({ memory_id: first.memory_id, version: first.version.toString() })).toMatchObject({ redacted: true })
    expect(await countStores(loom.database)).toMatchObject({ audit: before.audit + 1 })
    expect((await loom.call('memory.search', { query: 'how does the door open' })).results).toMatchObject([{ memory_key: 'door' }])
  })

  it('leaves the live head alone, and scrubs a deleted one with all that hangs on it', async () => {
    const long = `The vault code is ${SECRET}. ${'It is written down at great length here. '.repeat(60)}`
    const row = await set('vault', long, { relations: [['vault', 'opens with', SECRET]] })
    expect(row.chunks_written).toBeGreaterThan(0)
    expect(await redact({ memory_key: 'vault', version: row.version })).toMatchObject({ redacted: false, reason: 'head' })
    const gone = await loom.call('memory.delete', { memory_key: 'vault' })
    for (const version of [row.version, gone.version])
      expect(await redact({ memory_key: 'vault', version })).toMatchObject({ redacted: true })
    expect(await holding(SECRET)).toBe(0)
    const { rows } = await sql<{
      left: number
    }>`SELECT count(*)::int AS left FROM loom.memory_embedding WHERE memory_id = ${row.memory_id}`.execute(loom.database.reader)
    expect(rows[0]?.left).toBe(0)
    expect(await loom.call('memory.restore', { memory_key: 'vault' })).toMatchObject({ restored: false, reason: 'not_found' })
    expect(await set('vault', 'The vault is empty now.')).toMatchObject({ memory_id: row.memory_id, status: 'active' })
  })

  it('takes a scrubbed superseded row out of search', async () => {
    await loom.call('namespace.register', { namespace: 'newest', default_conflict_policy: 'newest_wins' })
    const here = { namespace: 'newest' }
    const old = await set('deploy/old', 'Production deploys run Tuesday and Thursday only; never Friday.', here)
    await set('deploy/new', 'Production deploys run Monday to Thursday.', here)
    const head = await loom.call('memory.get_by_id', { memory_id: old.memory_id })
    expect(head).toMatchObject({ status: 'superseded' })
    expect(await redact({ ...here, memory_key: 'deploy/old', version: head.version })).toMatchObject({ redacted: true })
    const hits = (await loom.call('memory.search', { ...here, query: 'when do production deploys run', include_superseded: true })).results
    expect(hits.map((hit) => hit.memory_key)).toEqual(['deploy/new'])
  })

  it('scrubs the profile versions built from the memory [CHG051]', async () => {
    const source = await set('likes', `Ada likes ${SECRET}.`, { memory_type: 'episodic' })
    await set('likes', 'Ada likes tea.', { memory_type: 'episodic' })
    const built = await set('profile/ada/likes', `${SECRET} and tea`, { memory_type: 'profile' })
    await loom.database.transaction((tx) =>
      tx
        .insertInto('memory_summary')
        .values({ org: 'dev', memory_id: built.memory_id, version: built.version, source_id: source.memory_id })
        .execute(),
    )
    await set('profile/ada/likes', 'tea', { memory_type: 'profile' })
    const before = await countStores(loom.database)
    expect((await redact({ memory_key: 'likes', version: source.version })).profiles).toEqual([
      {
        memory_key: 'profile/ada/likes',
        memory_id: built.memory_id,
        versions: 1,
        version: built.version,
        version_text: built.version.toString(),
      },
    ])
    expect(await holding(SECRET)).toBe(0)
    expect((await countStores(loom.database)).audit).toBe(before.audit + 2)
    expect(await loom.call('memory.get', { memory_key: 'profile/ada/likes' })).toMatchObject({ value: 'tea' })
  })

  it('names what it does not find, and wants one target', async () => {
    expect(await redact({ memory_key: 'door', version: 5 })).toMatchObject({ redacted: false, reason: 'not_found', memory_id: '' })
    await refused(redact({ version: 5 }), 'INVALID_ARGUMENT')
    await refused(loom.call('memory.redact', { memory_key: 'door', version: 5 } as never), 'INVALID_ARGUMENT')
  })
})
