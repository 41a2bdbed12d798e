import { networkInterfaces } from 'node:os'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { listen, type Listening } from '../../shared/transport/serve.ts'
import { OPENING_MS, quietLog, serveEngine, testEngine } from '../helpers/transports.ts'
import { answersIn, wireTo, type Wire } from './sockets.ts'

let server: Listening
beforeAll(async () => {
  server = await serveEngine(await testEngine(), { headersTimeoutMs: 1500, requestTimeoutMs: 2500 })
}, OPENING_MS)
afterAll(() => server.close())

const wires: Wire[] = []
async function wire(): Promise<Wire> {
  const opened = await wireTo(server.url)
  wires.push(opened)
  return opened
}
afterEach(async () => {
  for (const { socket } of wires.splice(0)) socket.destroy()
  // Whatever was sent, the next request is answered as if nothing had happened.
  const answer = await fetch(`${server.url}/v1/memory.get`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"memory_key":"no/such/key"}',
  })
  expect(await answer.json()).toMatchObject({ found: false })
})

const post = (body: string, headers = ''): string =>
  `POST /v1/memory.get HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}\r\n${body}`

describe('requests that no client sends', () => {
  test('200 half-open connections do not hold up the next request', async () => {
    const open = await Promise.all(Array.from({ length: 200 }, wire))
    for (const [at, one] of open.entries()) if (at % 2 === 0) one.send('POST /v1/memory.get HTTP/1.1\r\nHost: loc')
    const from = performance.now()
    const answer = await fetch(`${server.url}/v1/health`)
    expect(answer.status).toBe(200)
    expect(performance.now() - from).toBeLessThan(1000)
  })

  test('headers that trickle in are cut off, with the documented body', async () => {
    const slow = await wire()
    slow.send('POST /v1/memory.get HTTP/1.1\r\n')
    const drip = setInterval(() => slow.send('X-Slow: 1\r\n'), 200)
    const [answer] = answersIn(await slow.read())
    clearInterval(drip)
    expect(answer).toEqual({ status: 499, code: 'CANCELLED' })
  })

  test('a body that trickles in is cut off', async () => {
    const slow = await wire()
    slow.send(post('{', 'Content-Length: 1000\r\n'))
    const drip = setInterval(() => slow.send(' '), 200)
    const text = await slow.read()
    clearInterval(drip)
    expect(answersIn(text)).toEqual([{ status: 499, code: 'CANCELLED' }])
  })

  test('garbage after a good request answers the one and refuses the other', async () => {
    const line = await wire()
    line.send(`${post('{"memory_key":"no/such/key"}', 'Content-Length: 28\r\n')}\x16\x03garbage\r\n\r\n`)
    const answers = answersIn(await line.read())
    expect(answers.at(-1)).toEqual({ status: 400, code: 'INVALID_JSON' })
  })

  test.each([
    ['no HTTP at all', '\x00\x01\x02\x03\r\n\r\n', 400, 'INVALID_JSON'],
    ['a broken content length', post('{}', 'Content-Length: -5\r\n'), 400, 'INVALID_JSON'],
    ['two framings at once', post('0\r\n\r\n', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'), 400, 'INVALID_JSON'],
    ['a chunk that is no chunk', post('zz\r\nabc\r\n', 'Transfer-Encoding: chunked\r\n'), 400, 'INVALID_JSON'],
    ['headers of 100 KB', post('{}', `X-Large: ${'x'.repeat(100_000)}\r\n`), 413, 'PAYLOAD_TOO_LARGE'],
    ['no Host', 'GET /v1/health HTTP/1.1\r\n\r\n', 421, 'HOST_NOT_ALLOWED'],
    ['a foreign Host', 'GET /v1/health HTTP/1.1\r\nHost: evil.example\r\n\r\n', 421, 'HOST_NOT_ALLOWED'],
    ['a foreign Host that looks like ours', 'GET /v1/health HTTP/1.1\r\nHost: localhost.evil.example:80\r\n\r\n', 421, 'HOST_NOT_ALLOWED'],
    ['a foreign host in the target', 'GET http://evil.example/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n', 421, 'HOST_NOT_ALLOWED'],
    ['a Host that is no host', 'GET /v1/health HTTP/1.1\r\nHost: a b/c\r\n\r\n', 400, 'INVALID_JSON'],
    ['a declared length over the limit', post('', 'Content-Length: 99999999999\r\n'), 413, 'PAYLOAD_TOO_LARGE'],
    ['TRACE', 'TRACE /v1/memory.get HTTP/1.1\r\nHost: localhost\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  ])('%s is refused with the documented body', async (_, text, status, code) => {
    const line = await wire()
    line.send(text)
    expect(answersIn(await line.read(/"code"/))[0]).toEqual({ status, code })
  })

  test('a truncated chunked body ends the connection, and nothing else', async () => {
    const line = await wire()
    line.send(post('5\r\n{"mem', 'Transfer-Encoding: chunked\r\n'))
    line.socket.end()
    const answers = answersIn(await line.read())
    expect(
      answers.every(({ status, code }) => (status === 400 && code === 'INVALID_JSON') || (status === 499 && code === 'CANCELLED')),
    ).toBe(true)
  })

  test('a chunked body past the limit is refused while it is read', async () => {
    const small = await serveEngine({ ...(await testEngine()), limits: { maxRequestBytes: 1024 } })
    try {
      const line = await wireTo(small.url)
      line.send(post(`400\r\n${' '.repeat(1024)}\r\n1\r\n \r\n`, 'Transfer-Encoding: chunked\r\n'))
      // The body has no end yet.
      expect(answersIn(await line.read(/"code"/))).toEqual([{ status: 413, code: 'PAYLOAD_TOO_LARGE' }])
      line.socket.destroy()
    } finally {
      await small.close()
    }
  })
})

describe('the address', () => {
  test('a port that is taken is named', async () => {
    const app = { fetch: () => new Response() }
    await expect(listen(app, { host: '127.0.0.1', port: server.port })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(String(server.port)),
    })
  })

  test('[API012] a server on loopback answers no other address of the machine', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter((one) => !one.internal && one.family === 'IPv4')
    for (const { address } of others) {
      await expect(fetch(`http://${address}:${server.port}/v1/health`)).rejects.toThrow()
    }
    // On a machine with no other address there is nothing to refuse; the bound address says the same.
    expect(new URL(server.url).hostname).toBe('127.0.0.1')
  })

  test('closing ends event streams and idle connections, and lets running calls end', async () => {
    const log = quietLog()
    const brief = await serveEngine(await testEngine(), { logger: log })
    const stream = await fetch(`${brief.url}/v1/events`)
    const [idle, half] = [await wireTo(brief.url), await wireTo(brief.url)]
    half.send('POST /v1/memory.get HTTP/1.1\r\n')
    const running = fetch(`${brief.url}/v1/memory.set`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"memory_key":"closing/call","value":"A call that runs while the server closes."}',
    })
    await new Promise((resolve) => setTimeout(resolve, 30))
    const from = performance.now()
    await brief.close()
    expect(performance.now() - from).toBeLessThan(5000)
    expect((await running).status).toBe(200)
    expect(await stream.text()).toContain('retry:')
    expect(await Promise.all([idle.read(), half.read()])).toHaveLength(2)
    expect(log.lines).toEqual([])
    await expect(fetch(`${brief.url}/v1/health`)).rejects.toThrow()
  })
})
