import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { createClient, type Client } from '../../shared/client/create-client.ts'
import { raise } from '../../shared/client/errors.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import { inProcessLink } from '../../shared/client/in-process-link.ts'
import { ipcLink } from '../../shared/client/ipc-link.ts'
import type { OpContract } from '../../shared/contract/declare.ts'
import { isErrorBody } from '../../shared/contract/errors.ts'
import { parseJson, stringifyJson } from '../../shared/contract/json.ts'
import { REGISTRY, type CallInputOf, type OpName, type OutputOf } from '../../shared/contract/registry.ts'
import type { Engine } from '../../shared/engine/api.ts'
import { mintFirstToken } from '../../shared/engine/store/first-start.ts'
import { createIpcEndpoint } from '../../shared/transport/ipc.ts'
import { engineCall } from '../../shared/transport/mcp.ts'
import { serveMcpStdio } from '../../shared/transport/stdio.ts'
import { openTestEngine, type TestEngine } from './engine.ts'
import { quietLog, rpc, serveEngine, type ToolResult } from './serve-engine.ts'

export { quietLog, rpc, serveEngine, type ToolResult } from './serve-engine.ts'

function unwrap(result: ToolResult | undefined): Record<string, unknown> {
  if (result === undefined) throw new Error('no tool result')
  if (result.isError !== true) return result.structuredContent
  if (isErrorBody(result.structuredContent)) throw raise(result.structuredContent.detail)
  throw new Error(`an error without the documented body: ${stringifyJson(result)}`)
}

export interface StdioPeer {
  request(method: string, params: unknown): Promise<Record<string, unknown>>
  notify(method: string): void
  close(): Promise<void>
}

/** A stdio client by hand: writes lines, reads lines, keeps every digit. */
export async function stdioPeer(engine: Engine, clientName: string, fills = {}, token?: string): Promise<StdioPeer> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const server = serveMcpStdio({ call: engineCall(engine, fills, token), log: quietLog(), input, output })
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>()
  let [rest, count] = ['', 0]
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const answer = parseJson(line) as Record<string, unknown>
      waiting.get(answer.id as number)?.(answer)
    }
  })
  const peer: StdioPeer = {
    request: (method, params) =>
      new Promise((resolve) => {
        const id = ++count
        waiting.set(id, resolve)
        input.write(`${stringifyJson({ jsonrpc: '2.0', id, method, params })}\n`)
      }),
    notify: (method) => void input.write(`${stringifyJson({ jsonrpc: '2.0', method })}\n`),
    async close() {
      input.end()
      await server.closed
    },
  }
  await peer.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: clientName, version: '1' } })
  peer.notify('notifications/initialized')
  return peer
}

/** Calls one operation, typed; raises the client's errors on every road. */
export type OpCall = <N extends OpName>(op: N, input: CallInputOf<N>) => Promise<OutputOf<N>>

type AnyCall = (op: string, input: Record<string, unknown>) => Promise<Record<string, unknown>>

interface Road {
  readonly call: AnyCall
  close?(): Promise<void>
}

const toolOf = (op: string): string => `loom_${op.replaceAll('.', '_')}`
const over =
  (client: Client): AnyCall =>
  (op, input) =>
    client.call(op, input)

async function overHttp(engine: Engine, token?: string): Promise<Road> {
  const server = await serveEngine(engine)
  return {
    call: over(createClient(httpLink({ baseUrl: server.url, ...(token === undefined ? {} : { token }) }))),
    close: () => server.close(),
  }
}

async function overMcp(engine: Engine, token?: string): Promise<Road> {
  const server = await serveEngine(engine)
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const call: AnyCall = async (op, input) => {
    const { body } = await rpc(`${server.url}/mcp`, 'tools/call', { name: toolOf(op), arguments: input }, headers)
    return unwrap(body.result)
  }
  return { call, close: () => server.close() }
}

async function overStdio(engine: Engine, token?: string): Promise<Road> {
  const peer = await stdioPeer(engine, 'stdio-test', {}, token)
  const call: AnyCall = async (op, input) => {
    const { result } = await peer.request('tools/call', { name: toolOf(op), arguments: input })
    return unwrap(result as ToolResult)
  }
  return { call, close: () => peer.close() }
}

async function overIpc(engine: Engine): Promise<Road> {
  const endpoint = createIpcEndpoint(engine, quietLog())
  // Electron clones what crosses; so does this.
  const bridge = {
    call: async (op: string, input: unknown, meta: object) =>
      structuredClone(await endpoint(op, structuredClone(input), structuredClone(meta))),
    listen: (listener: Parameters<Engine['on']>[0]) => engine.on((event) => listener(structuredClone(event))),
  }
  return { call: over(createClient(ipcLink(bridge))) }
}

async function inProcess(engine: Engine, token?: string): Promise<Road> {
  const claims = await engine.authenticate(token)
  return { call: over(createClient(inProcessLink(engine, { claims, transport: 'inproc', fills: {}, local: true, requestId: 'test' }))) }
}

/** Every way to reach an engine. */
export const ROADS: Readonly<Record<string, (engine: Engine, token?: string) => Promise<Road>>> = {
  http: overHttp,
  mcp: overMcp,
  'mcp over stdio': overStdio,
  ipc: overIpc,
  'in process': inProcess,
}

/**
 * Runs a promise of one operation on every road, each time in a namespace of its own, which `call` fills in. A gate
 * (test/transport/coverage.test.ts) fails for an operation that is named by none. An operation of the server runs on one in
 * multi mode, for an admin of its org; no window sits at a server.
 */
export function onEveryTransport(op: OpName, title: string, run: (call: OpCall, namespace: string) => Promise<void>): void {
  const contract: OpContract = REGISTRY[op]
  const isOfServer = contract.host === 'server'
  const hosts = isOfServer ? serverEngine : async () => ({ engine: await testEngine(), token: undefined })
  describe(`${op}: ${title}`, () => {
    beforeAll(hosts, OPENING_MS)
    for (const [name, open] of Object.entries(ROADS).filter(([road]) => !isOfServer || road !== 'ipc')) {
      test(`over ${name}`, async () => {
        const { engine, token } = await hosts()
        const road = await open(engine, token)
        const namespace = `t-${randomBytes(6).toString('hex')}`
        const call: OpCall = async (called, input) => {
          const fills = 'namespace' in REGISTRY[called].input.shape ? { namespace } : {}
          return (await road.call(called, { ...fills, ...(input as Record<string, unknown>) })) as never
        }
        try {
          await run(call, namespace)
        } finally {
          await road.close?.()
        }
      })
    }
  })
}

/** What opening an engine with its models may take on a busy machine. */
export const OPENING_MS = 180_000

let opened: Promise<TestEngine> | null = null

/** One real engine for all tests of a file; closed after the last. */
export async function testEngine(): Promise<Engine> {
  opened ??= openTestEngine()
  return (await opened).engine
}

let server: Promise<{ readonly loom: TestEngine; readonly engine: Engine; readonly token: string }> | null = null

/** One real server in multi mode for all tests of a file, with the token of an admin of the org `team`. */
export function serverEngine(): Promise<{ readonly engine: Engine; readonly token: string }> {
  server ??= (async () => {
    const loom = await openTestEngine({ host: 'server', mode: 'multi' })
    const minted = await mintFirstToken(loom.database, 'team', new Date())
    return { loom, engine: loom.engine, token: minted?.token ?? '' }
  })()
  return server
}

afterAll(async () => {
  await (await opened)?.close()
  await (await server)?.loom.close()
})
