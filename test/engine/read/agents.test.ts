import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentRow } from '../../../shared/contract/host-calls.ts'
import { localClaims, type Caller } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const DAY = 86_400_000

let now = Date.parse('2026-12-01T09:00:00.000Z')
let loom: TestEngine

const over = (transport: Caller['transport'], agent: string, rest: Partial<Caller> = {}): Partial<Caller> => ({
  transport,
  claims: localClaims('process', agent),
  fills: { agent },
  ...rest,
})
/** By name; as many are connected as are counted without reading them all. */
async function agents(): Promise<Record<string, AgentRow>> {
  const rows = await loom.engine.agents.list('')
  expect(await loom.engine.agents.connected('')).toBe(rows.filter((row) => row.connected).length)
  return Object.fromEntries(rows.map((row) => [row.agent, row]))
}

describe('agents by the ledger of requests', () => {
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  }, 60_000)
  afterAll(() => loom.close())

  test('how each came, what it wrote and was served, and whether it is here', async () => {
    await loom.call('memory.set', { memory_key: 'kettle', value: 'The kettle is blue.' }, over('mcp', 'claude-code', { mcpSession: 's1' }))
    await loom.call(
      'memory.set',
      { memory_key: 'kettle', value: 'The kettle is dark blue.' },
      over('mcp', 'claude-code', { mcpSession: 's1' }),
    )
    await loom.call('memory.get', { memory_key: 'kettle' }, over('mcp', 'claude-code', { mcpSession: 's1' }))
    await loom.call('memory.search', { query: 'kettle' }, over('http', 'ops-bot'))
    await loom.call('memory.search', { query: 'kettle', namespace: 'other' }, over('http', 'ops-bot'))
    await loom.call('memory.list', {}, over('http', 'ci', { isCommandLine: true }))
    await loom.call('memory.search', { query: 'kettle' }, over('http', 'window', { isWindow: true }))
    await loom.call('memory.search', { query: 'kettle' }, over('mcp', 'loom-test'))
    const found = await agents()
    expect(Object.keys(found).toSorted()).toEqual(['ci', 'claude-code', 'ops-bot'])
    expect(found['claude-code']).toMatchObject({
      transport: 'mcp',
      connected: true,
      wrote: 1,
      recalled: 1,
      calls: 3,
      last_op: 'memory.get',
    })
    expect(found['ops-bot']).toMatchObject({ transport: 'http', connected: true, wrote: 0, recalled: 1, namespaces: ['local', 'other'] })
    expect(found['ci']).toMatchObject({ transport: 'cli', connected: false })
    expect(await loom.engine.agents.recalled('', 'ops-bot', 8)).toEqual([
      { memory_key: 'kettle', namespace: 'local', at: '2026-12-01T09:00:00.000Z', times: 1 },
    ])
  })

  test('a session that closed is not connected, whatever it called a moment ago', async () => {
    await loom.engine.endSession?.('s1')
    expect((await agents())['claude-code']).toMatchObject({ transport: 'mcp', connected: false })
  })

  test('weeks pass: counts fall, the agent stays; a year later it is not listed', async () => {
    now += 31 * 60_000
    expect((await agents())['ops-bot']).toMatchObject({ connected: false, calls: 2 })
    now += 40 * DAY
    expect((await agents())['ops-bot']).toMatchObject({ connected: false, calls: 0, recalled: 0, last_at: '2026-12-01T09:00:00.000Z' })
    now += 330 * DAY
    expect(await agents()).toEqual({})
  })

  test('another org has agents of its own', async () => {
    expect(await loom.engine.agents.list('acme')).toEqual([])
    expect(await loom.engine.agents.connected('acme')).toBe(0)
  })
})
