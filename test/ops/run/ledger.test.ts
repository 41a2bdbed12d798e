import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims, type Caller } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { rpc, serveEngine } from '../../helpers/transports.ts'
import { relayCall } from '../../../shared/transport/mcp-relay.ts'
import { sessionIdFor, sessionKeyOf } from '../../../shared/transport/mcp-session.ts'

interface Row {
  readonly event_id: string
  readonly run_id: string
  readonly seq: bigint
  readonly name: string
  readonly memory_keys: string[]
  readonly ok: boolean
  readonly code: string
  readonly agent: string
  readonly user_id: string
}

const MINUTE_MS = 60_000

describe('the ledger of requests', () => {
  let loom: TestEngine
  let now = Date.parse('2026-11-30T12:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS, clock: () => now })
  })
  afterAll(() => loom.close())

  /** What was asked since the last look. */
  async function asked(): Promise<Row[]> {
    await loom.engine.runDueJobs(new Date(now + 1e9))
    const { rows } =
      await sql<Row>`DELETE FROM loom.run_event WHERE kind = 'op' RETURNING event_id, run_id, seq, name, memory_keys, ok, code, agent, user_id`.execute(
        loom.database.reader,
      )
    return rows.toSorted((a, b) => (a.event_id < b.event_id ? -1 : 1))
  }
  const agent = (more: Partial<Caller> = {}): Partial<Caller> => ({
    claims: localClaims('process', 'bot'),
    fills: { agent: 'bot' },
    ...more,
  })

  it('keeps name, keys and code of what an agent asks, and never a value', async () => {
    await loom.call('memory.set', { memory_key: 'lamp', value: 'The Quetzalcoatl lamp is brass.', user_id: 'ada' }, agent())
    await loom.call('memory.get', { memory_key: 'lamp' }, agent()).catch(() => undefined)
    await loom.call('memory.list', { user_id: 'ada' }, agent())
    await loom.call('memory.set', { memory_key: 'lamp', value: 1, confidence: 2 }, agent()).catch(() => undefined)
    await loom
      .call('memory.set', { memory_key: 'lamp', value: 'x', if_match_sha256: 'f'.repeat(64), user_id: 'ada' }, agent())
      .catch(() => undefined)
    const rows = await asked()
    const told = rows.map(({ name, memory_keys, ok, code, run_id, seq, agent: by, user_id }) => [
      name,
      memory_keys,
      ok,
      code,
      run_id,
      seq,
      by,
      user_id,
    ])
    expect(told).toEqual([
      ['memory.set', ['lamp'], true, '', '', 0n, 'bot', 'ada'],
      ['memory.get', ['lamp'], true, '', '', 0n, 'bot', '-'],
      ['memory.list', ['lamp'], true, '', '', 0n, 'bot', 'ada'],
      ['memory.set', [], false, 'INVALID_ARGUMENT', '', 0n, 'bot', '-'],
      ['memory.set', ['lamp'], false, 'PRECONDITION_FAILED', '', 0n, 'bot', 'ada'],
    ])
    expect(JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain('Quetzalcoatl')
  })

  it('leaves out what the window asks, and takes what comes over HTTP and MCP', async () => {
    await loom.call('memory.list', {}, { transport: 'ipc' })
    await loom.call('memory.list', {})
    const server = await serveEngine(loom.engine)
    const post = (headers: Record<string, string>) =>
      fetch(`${server.url}/v1/memory.stats`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })
    expect((await post({ origin: server.url })).status).toBe(200)
    expect(await asked()).toEqual([])
    await post({})
    await rpc(`${server.url}/mcp`, 'tools/call', { name: 'loom_memory_list', arguments: {} })
    expect((await asked()).map((row) => row.name)).toEqual(['memory.stats', 'memory.list'])
    await server.close()
  })

  it('ties a request to the run it named; requests before a run begins become its first events', async () => {
    const write = (memory_key: string, run_id: string, more: Partial<Caller> = {}) =>
      loom.call('memory.set', { memory_key, value: `The ${memory_key} is on the shelf.`, run_id }, agent(more))
    await write('early', 'tied')
    await loom.engine.runDueJobs(new Date(now + 1e9))
    await loom.call('run.start', { run_id: 'tied' }, agent())
    await loom.call('run.event', { run_id: 'tied', events: [{ kind: 'note', name: 'mine' }] }, agent())
    await write('late', 'tied')
    const run = await loom.call('run.get', { run_id: 'tied' })
    expect(run.event_list.map((event) => [event.seq, event.kind, event.name, event.memory_keys])).toEqual([
      [1, 'op', 'memory.set', ['early']],
      [2, 'note', 'mine', []],
      [3, 'op', 'memory.set', ['late']],
    ])
    expect(run).toMatchObject({ events: 3, memories_written: 2 })
    const claims = { ...localClaims('process', 'bot'), grants: { local: 'writer' as const }, user_id: 'eve' }
    await write('foreign', 'tied', { claims })
    expect((await loom.call('run.get', { run_id: 'tied' })).events).toBe(3)
    await asked()
  })

  it('makes one implicit run of an MCP session, which ends after 30 minutes without a call', async () => {
    const mcp = agent({ transport: 'mcp', mcpSession: 'abc' })
    await loom.call('memory.set', { memory_key: 'session', value: 'The attic is dry.' }, mcp)
    now += MINUTE_MS
    await loom.call('memory.get', { memory_key: 'session' }, mcp)
    await loom.call('memory.set', { memory_key: 'named', value: 'The cellar is damp.', run_id: 'other' }, mcp)
    const first = await loom.call('run.get', { run_id: 'mcp:abc' })
    expect(first).toMatchObject({
      found: true,
      implicit: true,
      status: 'running',
      agent: 'bot',
      actor: 'process:bot',
      events: 2,
      memories_written: 1,
    })
    expect(first.written.map((row) => row.memory_key)).toEqual(['session'])
    expect(await loom.call('run.get', { run_id: 'other' })).toMatchObject({ found: false })
    now += 30 * MINUTE_MS - 1
    await loom.engine.runDueJobs()
    expect(await loom.call('run.get', { run_id: 'mcp:abc' })).toMatchObject({ status: 'running' })
    now += MINUTE_MS
    await loom.engine.runDueJobs()
    expect(await loom.call('run.get', { run_id: 'mcp:abc' })).toMatchObject({ status: 'completed', duration_ms: MINUTE_MS })
    await loom.call('memory.get', { memory_key: 'session' }, mcp)
    expect(await loom.call('run.get', { run_id: 'mcp:abc' })).toMatchObject({ status: 'running', completed_at: null, events: 3 })
    expect((await loom.call('run.list', { implicit: true })).runs).toHaveLength(1)
    expect((await loom.call('run.list', { implicit: false, status: ['running'] })).runs.map((run) => run.run_id)).toEqual(['tied'])
  })

  it('does not count an implicit run as the run of a write [VER012]', async () => {
    await loom.call('memory.set', { memory_key: 'roof/one', value: 'The roof was mended in May.' }, agent({ mcpSession: 'one' }))
    const again = await loom.call(
      'memory.set',
      { memory_key: 'roof/two', value: 'The roof was mended in May.' },
      agent({ mcpSession: 'two' }),
    )
    expect(again).toMatchObject({ conflict_verdict: 'merge', merged_into_key: 'roof/one' })
  })

  it('ends the run of a session that its client ends', async () => {
    const server = await serveEngine(loom.engine)
    const session = sessionIdFor('client')
    const call = { name: 'loom_memory_list', arguments: {} }
    const headers = { 'mcp-session-id': session }
    expect((await rpc(`${server.url}/mcp`, 'tools/call', call, headers)).status).toBe(200)
    const run_id = `mcp:${sessionKeyOf(session)}`
    expect(await loom.call('run.get', { run_id })).toMatchObject({ status: 'running', agent: 'client' })
    expect((await fetch(`${server.url}/mcp`, { method: 'DELETE', headers })).status).toBe(204)
    expect(await loom.call('run.get', { run_id })).toMatchObject({ status: 'completed' })
    expect((await fetch(`${server.url}/mcp`, { method: 'DELETE' })).status).toBe(405)
    expect((await fetch(`${server.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': 'nonsense' } })).status).toBe(404)
    await server.close()
  })

  it('ends the session that `loom mcp` relayed', async () => {
    const server = await serveEngine(loom.engine)
    const call = relayCall({ baseUrl: server.url })
    await call('memory.list', {}, { client: 'relayed', requestId: 'x', signal: new AbortController().signal })
    const runs = async () => (await loom.call('run.list', { agent: 'relayed' })).runs.map((run) => run.status)
    expect(await runs()).toEqual(['running'])
    await call.end()
    expect(await runs()).toEqual(['completed'])
    await server.close()
  })
})
