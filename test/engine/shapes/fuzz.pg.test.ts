import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eraseShapeLogs } from '../../../shared/engine/shapes/erase.ts'
import { createShapes } from '../../../shared/engine/shapes/shapes.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { serveEngine } from '../../helpers/transports.ts'
import { fuzz } from './fuzz.ts'
import { follow, openShapeServer, until, type ShapeServer } from './shape-server.ts'

describe('on Postgres', needs(postgres()), () => {
  let scratch: ScratchDatabase
  let server: ShapeServer
  beforeAll(async () => {
    scratch = await scratchDatabase()
    server = await openShapeServer({ chunkBytes: 3000, longPollMs: 1000, pollMs: 60 }, { postgresUrl: scratch.url })
  })
  afterAll(async () => {
    await server.close()
    await scratch.drop()
  })

  test('a transaction that ends after a later one is not passed over', async () => {
    const { database } = server.loom
    const { shape, stop } = follow(server.url, await server.token({ grants: { order: 'viewer' } }), 'memory')
    await shape.rows
    const write = (id: string, wait: Promise<void>, begun = (): void => {}): Promise<void> =>
      database.transaction(async (tx) => {
        await sql`INSERT INTO loom.memory (org, namespace, agent, user_id, session_id, memory_key, memory_id, version, memory_type, status, actor, source_class, created_at, updated_at)
          VALUES ('acme', 'order', 'a', '-', '-', ${id}, ${id}, 1, 'semantic', 'active', 'human:t', 'user', now(), now())`.execute(tx)
        begun()
        await wait
      })
    for (let round = 0; round < 3; round++) {
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      let early = Promise.resolve()
      // The later one begins when the earlier has its number.
      await new Promise<void>((begun) => {
        early = write(`early-${round}`, held, begun)
      })
      await write(`late-${round}`, Promise.resolve())
      // Both processes that answer and those that look by themselves have looked meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 250))
      expect(shape.currentRows.map((row) => row['memory_id'])).not.toContain(`late-${round}`)
      release()
      await early
      await until(() => shape.currentRows.length === 2 * (round + 1))
    }
    stop()
    await sql`DELETE FROM loom.memory WHERE org = 'acme' AND namespace = 'order'`.execute(database.reader)
  })

  test('two servers on one store share the logs: each tells what the other wrote, and ends what the other ended', async () => {
    const { database, engine } = server.loom
    const other = createShapes({ database, log: { error: () => {}, warn: () => {} }, clock: Date.now, longPollMs: 1000, pollMs: 60 })
    const listening = await serveEngine(engine, { shapes: () => other })
    const token = await server.token({ grants: { both: 'viewer' } })
    const [here, there] = [follow(server.url, token, 'memory'), follow(`${listening.url}/v1/shape`, token, 'memory', { liveSse: true })]
    const admin = await server.token({ grants: { '*': 'org_admin' } })
    const set = (key: string): Promise<unknown> =>
      server.call(admin, 'memory.set', { namespace: 'both', agent: 'a', memory_key: key, value: `About ${key}.` })
    for (const key of ['one', 'two', 'three']) {
      await set(key)
      await until(() => [here, there].every(({ shape }) => shape.currentRows.some((row) => row['memory_key'] === key)))
    }
    const before = here.stream.shapeHandle
    expect(there.stream.shapeHandle).toBe(before)
    await eraseShapeLogs(database, { org: 'acme', namespaces: ['both'], user_id: '' })
    await set('four')
    await until(() => [here, there].every(({ shape, stream }) => stream.shapeHandle !== before && shape.currentRows.length === 4))
    expect(there.stream.shapeHandle).toBe(here.stream.shapeHandle)
    here.stop()
    there.stop()
    other.close()
    await listening.close()
    await sql`DELETE FROM loom.memory WHERE org = 'acme' AND namespace = 'both'`.execute(database.reader)
  })

  test('commits out of order, several writers at once: every follower ends with the rows of its token', async () => {
    await fuzz(server, 20_261_130, 7000)
  }, 60_000)
})
