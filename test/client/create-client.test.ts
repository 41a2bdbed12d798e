import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createClient } from '../../shared/client/create-client.ts'
import { ERROR_CLASSES, ClientError, PreconditionFailed, Unavailable, raise } from '../../shared/client/errors.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import { ipcLink } from '../../shared/client/ipc-link.ts'
import { ERROR_TABLE, LoomError, errorBody, statusOf, type ErrorCode } from '../../shared/contract/errors.ts'
import type { LinkEvent } from '../../shared/client/link.ts'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { createIpcEndpoint } from '../../shared/transport/ipc.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { OPENING_MS, quietLog, serveEngine, testEngine } from '../helpers/transports.ts'

/** What the network between a client and Loom does to one request. */
type Fault = 'cut' | 'cut after' | 'pass' | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }

interface Seen {
  readonly at: number
  readonly key: string | undefined
  readonly authorization: string | undefined
}

let loom: Listening
let network: Server
let base: string
let faults: Fault[] = []
let seen: Seen[] = []

async function relay(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { headers } = incoming
  seen.push({ at: performance.now(), key: headers['idempotency-key'] as string | undefined, authorization: headers.authorization })
  const fault = faults.shift() ?? 'pass'
  if (fault === 'cut') return void incoming.socket.destroy()
  if (typeof fault === 'object') return void outgoing.writeHead(fault.status, fault.headers).end(fault.body)
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const answer = await fetch(loom.url + (incoming.url ?? ''), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(headers['idempotency-key'] ? { 'idempotency-key': String(headers['idempotency-key']) } : {}),
    },
    body: Buffer.concat(chunks),
  })
  const text = await answer.text()
  // The write was done, but its answer is lost.
  if (fault === 'cut after') return void incoming.socket.destroy()
  outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
}

beforeAll(async () => {
  loom = await serveEngine(await testEngine())
  network = createServer((incoming, outgoing) => void relay(incoming, outgoing))
  await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(network.address() as AddressInfo).port}`
}, OPENING_MS)
afterAll(async () => {
  network.close()
  network.closeAllConnections()
  await loom.close()
})
afterEach(() => {
  faults = []
  seen = []
  vi.unstubAllEnvs()
})

const client = () => createClient(httpLink({ baseUrl: base }), { backoffMs: 5 })
const documented = (code: ErrorCode, fields = {}): Fault => ({
  status: statusOf(code),
  body: JSON.stringify(errorBody(new LoomError(code, 'Injected.', fields), 'r')),
})

describe('methods', () => {
  test('[API007] every operation has one, under its wire name', () => {
    const made = client()
    for (const op of Object.keys(REGISTRY)) {
      const method = op.split('.').reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], made)
      expect(method, op).toBeTypeOf('function')
    }
  })

  test('a call reaches its operation, typed', async () => {
    const { version, conflict_verdict } = await client().memory.set({ memory_key: 'client/one', value: 'Through the client.' })
    expect([typeof version, conflict_verdict]).toEqual(['bigint', 'clear'])
    const { namespaces } = await client().namespace.list()
    expect(namespaces.map((one) => one.namespace)).toContain('local')
  })
})

describe('retries', () => {
  test.each<[string, Fault]>([
    ['a cut connection', 'cut'],
    ['408', { status: 408 }],
    ['500', documented('INTERNAL')],
    ['502 of a proxy', { status: 502, body: '<html>Bad gateway</html>' }],
    ['an answer that was lost', 'cut after'],
  ])('[API030] a write is tried up to 3 times after %s, under one key, and done once', async (title, fault) => {
    faults = [fault, fault]
    const key = `retry/${title.replaceAll(' ', '-')}`
    const set = await client().memory.set({ memory_key: key, value: `Written once in spite of ${title}.` })
    expect(set).toMatchObject({ noop: false })
    expect(seen).toHaveLength(3)
    expect(new Set(seen.map((one) => one.key)).size).toBe(1)
    expect(seen[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
    expect((await client().memory.history({ memory_key: key })).rows).toHaveLength(1)
  })

  test('[API030] the third failure is raised', async () => {
    faults = ['cut', 'cut', 'cut']
    await expect(client().memory.get({ memory_key: 'a' })).rejects.toBeInstanceOf(Unavailable)
    faults = Array.from({ length: 3 }, () => documented('INTERNAL'))
    await expect(client().memory.get({ memory_key: 'a' })).rejects.toMatchObject({ code: 'INTERNAL', status: 500, request_id: 'r' })
    expect(seen).toHaveLength(6)
  })

  test.each<ErrorCode>(['INVALID_ARGUMENT', 'PRECONDITION_FAILED', 'LOCKED', 'NOT_IMPLEMENTED', 'STORAGE_FULL'])(
    '%s is not tried again',
    async (code) => {
      faults = [documented(code)]
      await expect(client().memory.get({ memory_key: 'a' })).rejects.toMatchObject({ code })
      expect(seen).toHaveLength(1)
    },
  )

  test.each<ErrorCode>(['RATE_LIMITED', 'UNAVAILABLE'])('%s waits as long as the answer says', async (code) => {
    faults = [documented(code, { retry_after_s: 0.3 })]
    await client().memory.get({ memory_key: 'a' })
    expect((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThan(280)
    faults = [documented(code, { retry_after_s: 3600 })]
    await expect(client().memory.get({ memory_key: 'a' })).rejects.toMatchObject({ code, fields: { retry_after_s: 3600 } })
  })

  test('a caller can give up while waiting', async () => {
    faults = [documented('UNAVAILABLE', { retry_after_s: 30 })]
    const calling = client().memory.get({ memory_key: 'a' }, { signal: AbortSignal.timeout(50) })
    await expect(calling).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  test('each write has its own key, a read has none', async () => {
    await client().memory.set({ memory_key: 'keys/one', value: 'One.' })
    await client().memory.set({ memory_key: 'keys/two', value: 'Two.' }, { idempotencyKey: 'mine' })
    await client().memory.get({ memory_key: 'keys/one' })
    expect(seen.map((one) => one.key)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'mine', undefined])
  })
})

describe('errors', () => {
  test('there is one class a code', () => {
    const classes = Object.values(ERROR_CLASSES)
    expect(new Set(classes).size).toBe(Object.keys(ERROR_TABLE).length)
    for (const code of Object.keys(ERROR_TABLE) as ErrorCode[]) {
      const error = raise(errorBody(new LoomError(code, 'A message.', { extra: 1 }), 'r-1').detail)
      expect(error).toBeInstanceOf(ERROR_CLASSES[code])
      expect(error).toBeInstanceOf(ClientError)
      expect(error).toMatchObject({ code, message: 'A message.', status: statusOf(code), request_id: 'r-1', fields: { extra: 1 } })
    }
  })

  test('[PRE005] a changed hash raises PreconditionFailed with the current one', async () => {
    const { content_sha256 } = await client().memory.set({ memory_key: 'pre/one', value: 'As it is.' })
    const stale = await client()
      .memory.set({ memory_key: 'pre/one', value: 'As it should be.', if_match_sha256: '0'.repeat(64) })
      .catch((error: unknown) => error)
    expect(stale).toBeInstanceOf(PreconditionFailed)
    expect((stale as PreconditionFailed).current_sha256).toBe(content_sha256)
  })

  test('what is not Loom is told apart', async () => {
    faults = [{ status: 200, body: '<html>A captive portal</html>' }]
    await expect(client().memory.get({ memory_key: 'a' })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('not Loom'),
    })
  })
})

describe('address and token', () => {
  test('[CFG031] [CFG003] come from the environment where the options name none', async () => {
    vi.stubEnv('LOOM_BASE_URL', `${base}/`)
    vi.stubEnv('LOOM_API_KEY', 'loom_key')
    await createClient(httpLink()).memory.get({ memory_key: 'a' })
    await createClient(httpLink({ token: 'mine' })).memory.get({ memory_key: 'a' })
    expect(seen.map((one) => one.authorization)).toEqual(['Bearer loom_key', 'Bearer mine'])
  })

  test('[CFG031] the default is http://localhost:7777', async () => {
    vi.stubEnv('LOOM_BASE_URL', '')
    let asked = ''
    const never: typeof fetch = async (address) => {
      asked = typeof address === 'string' ? address : ''
      throw new TypeError('not sent')
    }
    await expect(createClient(httpLink({ fetch: never }), { attempts: 1 }).engine.info()).rejects.toBeInstanceOf(Unavailable)
    expect(asked).toBe('http://localhost:7777/v1/engine.info')
  })
})

describe('events', () => {
  const waitFor = async (events: LinkEvent[], key: string): Promise<void> => {
    await vi.waitFor(() => expect(events.some((event) => event.type === 'memory.changed' && event.memory_key === key)).toBe(true), {
      timeout: 5000,
    })
  }

  test('arrive over HTTP, also after the host went away and came back', async () => {
    const engine = await testEngine()
    let host = await serveEngine(engine)
    const made = createClient(httpLink({ baseUrl: host.url }))
    const events: LinkEvent[] = []
    const stop = made.events((event) => void events.push(event))
    await new Promise((resolve) => setTimeout(resolve, 100))
    await made.memory.set({ memory_key: 'events/http', value: 'Told over HTTP.' })
    await waitFor(events, 'events/http')
    await host.close()
    host = await serveEngine(engine, { port: host.port })
    await vi.waitFor(
      async () => {
        await made.memory.set({ memory_key: 'events/again', value: `Told again at ${performance.now()}.` })
        await waitFor(events, 'events/again')
      },
      { timeout: 15_000 },
    )
    stop()
    await host.close()
  })

  test('however many listen, they share one stream, and each is told when it has opened anew', async () => {
    const engine = await testEngine()
    let host = await serveEngine(engine)
    let streams = 0
    const counted: typeof fetch = (address, init) => {
      if (typeof address === 'string' && address.endsWith('/v1/events')) streams++
      return fetch(address, init)
    }
    const made = createClient(httpLink({ baseUrl: host.url, fetch: counted }))
    const heard: LinkEvent[][] = [[], []]
    const stops = heard.map((events) => made.events((event) => void events.push(event)))
    const opened = (): number[] => heard.map((events) => events.filter((event) => event.type === 'stream.opened').length)
    await vi.waitFor(() => expect(opened()).toEqual([1, 1]), { timeout: 5000 })
    expect(streams).toBe(1)
    // From here on nothing is missed.
    await made.memory.set({ memory_key: 'events/shared', value: 'Told to both.' })
    for (const events of heard) await waitFor(events, 'events/shared')
    await host.close()
    // What is changed while nobody hears of it is told by the next opening.
    host = await serveEngine(engine, { port: host.port })
    await vi.waitFor(() => expect(opened()).toEqual([2, 2]), { timeout: 15_000 })

    stops[0]?.()
    await made.memory.set({ memory_key: 'events/one', value: 'Told to the one that is left.' })
    await waitFor(heard[1] ?? [], 'events/one')
    expect(heard[0]?.some((event) => event.type === 'memory.changed' && event.memory_key === 'events/one')).toBe(false)
    stops[1]?.()
    const before = streams
    const stop = made.events((event) => void heard[0]?.push(event))
    await vi.waitFor(() => expect(opened()[0]).toBe(3), { timeout: 5000 })
    expect(streams).toBe(before + 1)
    stop()
    await host.close()
  })

  test('arrive over IPC until they are stopped', async () => {
    const engine = await testEngine()
    const endpoint = createIpcEndpoint(engine, quietLog())
    const made = createClient(ipcLink({ call: endpoint, listen: (listener) => engine.on(listener) }))
    const events: LinkEvent[] = []
    const stop = made.events((event) => void events.push(event))
    await made.memory.set({ memory_key: 'events/ipc', value: 'Told over IPC.' })
    await waitFor(events, 'events/ipc')
    stop()
    await made.memory.set({ memory_key: 'events/silent', value: 'Told to nobody.' })
    expect(events.some((event) => event.type === 'memory.changed' && event.memory_key === 'events/silent')).toBe(false)
  })
})
