import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { scratchHome } from '../helpers/headless.ts'
import { scratchDatabase, type ScratchDatabase } from '../helpers/postgres.ts'
import { needs, postgres } from '../helpers/requirements.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { overHttp } from './token-helpers.ts'

const WRITERS = 100
const PLACE = { namespace: 'race', agent: 'a' }

describe('two server processes on one Postgres', { ...needs(postgres()), timeout: 120_000 }, () => {
  let scratch: ScratchDatabase
  let drop: () => Promise<void>
  let servers: readonly [ServerProcess, ServerProcess]
  let bearer: string
  beforeAll(async () => {
    if (!postgres().available) return
    scratch = await scratchDatabase()
    const { home, drop: dropHome } = await scratchHome()
    drop = dropHome
    const settings = { LOOM_SERVER_HOME: home, DATABASE_URL: scratch.url, LOOM_RATE_WRITE_PER_MINUTE: '0', LOOM_RATE_READ_PER_MINUTE: '0' }
    const first = await startServer(settings)
    servers = [first, await startServer(settings)]
    bearer = `Bearer ${await vi.waitUntil(() => first.token(), 10_000)}`
  }, 120_000)
  afterAll(async () => {
    if (!postgres().available) return
    for (const server of servers) await server.stop()
    await scratch.drop()
    await drop()
  })

  /** Calls one of the two, by turns. */
  const call = (n: number, op: string, input: object) => overHttp(servers[n % 2 === 0 ? 0 : 1].url, op, { ...PLACE, ...input }, bearer)
  async function versionsOf(memory_key: string): Promise<{ version: bigint; value: unknown; sha: unknown }[]> {
    const { body } = await call(1, 'memory.history', { memory_key, limit: 200 })
    return (body['rows'] as { version_text: string; value: unknown; content_sha256: string }[]).map((row) => ({
      version: BigInt(row.version_text),
      value: row.value,
      sha: row.content_sha256,
    }))
  }

  test(`of ${WRITERS} parallel writers with one hash one wins, and the others are told the hash it left [PRE010, PRE011, PRE012]`, async () => {
    const { body: first } = await call(0, 'memory.set', { memory_key: 'hash', value: 'Nobody has it yet.' })
    const outcomes = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) => {
        const op = n % 5 === 4 ? 'memory.update' : 'memory.set'
        return call(n, op, { memory_key: 'hash', value: `Writer ${n} has it.`, if_match_sha256: first['content_sha256'] })
      }),
    )
    const [won, ...others] = outcomes.toSorted((a, b) => a.status - b.status)
    expect(won?.status).toBe(200)
    const { body: head } = await call(1, 'memory.get', { memory_key: 'hash' })
    expect(head['content_sha256']).toBe(won?.body['content_sha256'])
    expect(others).toHaveLength(WRITERS - 1)
    for (const { status, body } of others) {
      expect([status, body]).toMatchObject([409, { detail: { code: 'PRECONDITION_FAILED', current_sha256: head['content_sha256'] } }])
    }
    expect(await versionsOf('hash')).toHaveLength(2)
  })

  test(`of ${WRITERS} parallel sets of one key none is lost, and versions strictly increase`, async () => {
    const writes = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) => call(n, 'memory.set', { memory_key: 'counter', value: `The counter stood at ${n}.` })),
    )
    expect(writes.map((write) => write.status)).toEqual(writes.map(() => 200))
    expect(new Set(writes.map((write) => write.body['memory_id'])).size).toBe(1)
    const history = await versionsOf('counter')
    expect(new Set(history.map((row) => row.value))).toEqual(new Set(writes.map((_, n) => `The counter stood at ${n}.`)))
    expect(history).toHaveLength(WRITERS)
    for (const [at, row] of history.slice(1).entries()) expect(row.version < (history[at]?.version ?? 0n)).toBe(true)
    for (const server of [0, 1]) {
      const { body } = await call(server, 'memory.get', { memory_key: 'counter' })
      expect([body['version_text'], body['value']]).toEqual([history[0]?.version.toString(), history[0]?.value])
    }
  })
})
