import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { built, cleanEnv, type Headless, post, scratchHome, startHeadless } from '../helpers/headless.ts'
import { eventually } from './eventually.ts'

let home: string
let drop: () => Promise<void>
let env: Record<string, string>
const clients: Client[] = []
const hosts: Headless[] = []

beforeEach(async () => {
  ;({ home, drop } = await scratchHome())
  env = cleanEnv({ LOOM_HOME: home })
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  for (const host of hosts.splice(0)) await host.stop('SIGKILL')
  await drop()
})

async function start(): Promise<Headless> {
  const host = await startHeadless(env)
  hosts.push(host)
  return host
}

interface Stdio {
  readonly client: Client
  readonly pid: number
  call(tool: string, input: Record<string, unknown>): Promise<Record<string, unknown>>
}

async function connect(...args: string[]): Promise<Stdio> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [built('cli.js'), 'mcp', ...args], env, stderr: 'inherit' })
  const client = new Client({ name: 'stdio-agent', version: '1.0.0' })
  await client.connect(transport)
  clients.push(client)
  return {
    client,
    pid: transport.pid ?? 0,
    async call(name, input) {
      const result = await client.callTool({ name, arguments: input })
      return { ...(result.structuredContent as Record<string, unknown>), isError: result.isError ?? false }
    },
  }
}

const holder = async (): Promise<number> => (JSON.parse(await readFile(join(home, 'loom.lock'), 'utf8')) as { pid: number }).pid
const claim = { memory_key: 'deploy/window/prod', value: 'Production deploys run Tuesday and Thursday only; never Friday.' }

async function writeJudgeAndFind(mcp: Stdio): Promise<void> {
  const { tools } = await mcp.client.listTools()
  expect(tools.map((tool) => tool.name)).toEqual(
    expect.arrayContaining(['loom_memory_set', 'loom_memory_get', 'loom_memory_search', 'loom_op']),
  )
  expect(await mcp.call('loom_memory_set', claim)).toMatchObject({ isError: false, conflict_verdict: 'clear' })
  expect(await mcp.call('loom_memory_set', { memory_key: 'ops/deploys', value: 'Production deploys run on Friday too.' })).toMatchObject({
    conflict_verdict: 'conflict',
    next: expect.stringContaining('memory.update') as string,
  })
  const found = await mcp.call('loom_memory_search', { query: 'when do we deploy' })
  expect((found['results'] as { memory_key: string }[])[0]).toMatchObject({ memory_key: claim.memory_key })
  expect(await mcp.call('loom_memory_get', { memory_key: claim.memory_key })).toMatchObject({
    found: true,
    agent: 'stdio-agent',
    value: claim.value,
  })
}

describe('loom mcp over stdio', () => {
  test('[API018][VER014] with no app running starts the engine itself, and other clients find it', async () => {
    const mcp = await connect()
    await writeJudgeAndFind(mcp)
    expect(await holder()).toBe(mcp.pid)
    const endpoint = JSON.parse(await readFile(join(home, 'endpoint.json'), 'utf8')) as { url: string; pid: number }
    expect(endpoint.pid).toBe(mcp.pid)
    expect((await post(endpoint.url, 'memory.list', {})).status).toBe(200)
    const second = await connect()
    expect(await second.call('loom_memory_search', { query: 'deploy window' })).toMatchObject({ isError: false })
    expect(await holder()).toBe(mcp.pid)
  })

  test('[API018][VER014] while the app is running relays to it and never opens the folder', async () => {
    const host = await start()
    const mcp = await connect()
    await writeJudgeAndFind(mcp)
    expect(await holder()).toBe(host.child.pid)
    const { body } = await post(host.url, 'memory.get', { memory_key: claim.memory_key, agent: 'stdio-agent' })
    expect(body).toMatchObject({ found: true, actor: 'process:stdio-agent', source_class: 'agent' })
  })

  test('when the app it relays to stops, the next call goes on with an engine of its own', async () => {
    const host = await start()
    const mcp = await connect()
    expect(await mcp.call('loom_memory_set', claim)).toMatchObject({ isError: false })
    expect((await host.stop()).code).toBe(0)
    expect(await mcp.call('loom_memory_get', { memory_key: claim.memory_key })).toMatchObject({ found: true, value: claim.value })
    expect(await holder()).toBe(mcp.pid)
  })

  test('when that app is killed, the next call goes on as well', async () => {
    const host = await start()
    const mcp = await connect()
    expect(await mcp.call('loom_memory_set', claim)).toMatchObject({ isError: false })
    await host.stop('SIGKILL')
    expect(await mcp.call('loom_memory_get', { memory_key: claim.memory_key })).toMatchObject({ found: true })
  })

  test.each(['its own engine', 'a running app'])('[API018] its options fill what a call does not name, on %s', async (road) => {
    if (road === 'a running app') await start()
    const mcp = await connect('--namespace', 'ops', '--agent', 'pager', '--user-id', 'ann', '--session-id', 's-1')
    expect(await mcp.call('loom_memory_set', claim)).toMatchObject({ isError: false, namespace: 'ops' })
    expect(await mcp.call('loom_memory_get', { memory_key: claim.memory_key })).toMatchObject({
      namespace: 'ops',
      agent: 'pager',
      user_id: 'ann',
      session_id: 's-1',
    })
  })

  test('--toolset lists more tools', async () => {
    const [few, all] = [await connect(), await connect('--toolset', 'all')]
    const count = async (one: Stdio) => (await one.client.listTools()).tools.length
    expect(await count(all)).toBeGreaterThan(await count(few))
  })

  test('ends when its client closes, and gives the folder back', async () => {
    const mcp = await connect()
    expect(await mcp.call('loom_memory_set', claim)).toMatchObject({ isError: false })
    await mcp.client.close()
    clients.length = 0
    for (const name of ['loom.lock', 'endpoint.json']) await eventually(() => readFile(join(home, name)).catch(() => null)).toBeNull()
  })
})
