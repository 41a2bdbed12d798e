import { beforeAll, afterAll, describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../shared/contract/errors.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { OPENING_MS, serveEngine, testEngine } from '../helpers/transports.ts'

const MIB = 1024 * 1024

let server: Listening
beforeAll(async () => {
  server = await serveEngine(await testEngine())
}, OPENING_MS)
afterAll(() => server.close())

interface Answer {
  readonly status: number
  readonly body: ErrorBody & Record<string, unknown>
  readonly headers: Headers
}

async function send(path: string, body: BodyInit | null, init: RequestInit & { duplex?: 'half' } = {}): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body,
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })
  return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers }
}

const set = (fields: string): Promise<Answer> => send('/v1/memory.set', `{"memory_key":"bad/input","value":"x",${fields}}`)

/** The documented body, and a server that answers the next request as if nothing had happened (API026). */
async function refused(answer: Answer, status: number, code: string): Promise<ErrorBody['detail']> {
  expect(answer.status).toBe(status)
  const { detail } = answer.body
  expect(detail).toMatchObject({ code, message: expect.any(String), category: expect.any(String), retryable: expect.any(Boolean) })
  expect(detail.message.length).toBeGreaterThan(10)
  expect(JSON.stringify(answer.body)).not.toMatch(/\n\s+at |node_modules|\.ts:\d/)
  expect(answer.headers.get('x-request-id')).toBe(detail.request_id)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  const next = await send('/v1/memory.get', '{"memory_key":"no/such/key"}')
  expect(next).toMatchObject({ status: 200, body: { found: false } })
  return detail
}

describe('over HTTP', () => {
  test('an unknown field that is near a real one fails a write, and is named', async () => {
    const detail = await refused(await set('"tagz":["a"]'), 422, 'UNKNOWN_ARGUMENT')
    expect(detail.did_you_mean).toEqual({ tagz: 'tags' })
  })

  test('an unknown field that is near nothing is served, and named', async () => {
    const answer = await set('"zzzzzzzz":1')
    expect(answer).toMatchObject({ status: 200, body: { ignored_args: ['zzzzzzzz'] } })
  })

  test.each([
    ['a number for a list', '"tags":5', 'tags'],
    ['a text for a bool', '"pinned":"yes"', 'pinned'],
    ['a list for a text', '"run_id":[]', 'run_id'],
    ['a wrong member of a list', '"tags":["a",7]', 'tags[1]'],
    ['a value out of range', '"confidence":1.5', 'confidence'],
    ['a day that does not exist', '"valid_at":"2024-02-31"', 'valid_at'],
  ])('%s names the field', async (_, field, path) => {
    expect((await refused(await set(field), 422, 'INVALID_ARGUMENT')).field).toBe(path)
  })

  test.each([
    ['raw NUL in a text', String.raw`"run_id":"a\u0000b"`],
    ['a lone high surrogate', String.raw`"run_id":"a\ud800b"`],
    ['a lone low surrogate', String.raw`"tags":["\udc00"]`],
  ])('%s is refused', async (_, field) => {
    await refused(await set(field), 422, 'INVALID_ARGUMENT')
  })

  test.each([
    ['in a value', String.raw`{"memory_key":"bad/input","value":"a\ud800b"}`],
    ['in a value’s member name', String.raw`{"memory_key":"bad/input","value":{"a\u0000":1}}`],
    ['in a key', String.raw`{"memory_key":"bad\ud800","value":1}`],
    ['as a key of 10,000 characters', `{"memory_key":"${'k'.repeat(10_000)}","value":1}`],
    ['as a value 100 levels deep', `{"memory_key":"bad/input","value":${'['.repeat(100)}${']'.repeat(100)}}`],
    ['as a number past every double', '{"memory_key":"bad/input","value":1e999}'],
  ])('bad text or shape %s is refused', async (_, body) => {
    await refused(await send('/v1/memory.set', body), 422, 'INVALID_ARGUMENT')
  })

  test.each([
    ['broken JSON', '{"memory_key":'],
    ['no body', ''],
    ['a list', '[]'],
    ['a text', '"memory_key"'],
    ['null', 'null'],
    ['two objects', '{}{}'],
    ['1,000,000 levels of nesting', '['.repeat(1_000_000)],
    ['1,000,000 levels of nested objects', '{"a":'.repeat(1_000_000)],
  ])('%s is no JSON object', async (_, body) => {
    await refused(await send('/v1/memory.get', body), 400, 'INVALID_JSON')
  })

  test('bytes that are no UTF-8 are no JSON', async () => {
    await refused(await send('/v1/memory.get', Buffer.from('{"memory_key":"\xff\xfe"}', 'latin1')), 400, 'INVALID_JSON')
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', 'multipart/form-data; boundary=x'])(
    'content type %s is refused',
    async (type) => {
      await refused(await send('/v1/memory.get', '{}', { headers: { 'content-type': type } }), 415, 'UNSUPPORTED_MEDIA_TYPE')
    },
  )

  test('a body of 33 MiB is refused', async () => {
    await refused(await send('/v1/memory.set', Buffer.alloc(33 * MIB, 0x20)), 413, 'PAYLOAD_TOO_LARGE')
  })

  test('a body without a declared length is refused while it is read', async () => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += MIB
        controller.enqueue(new Uint8Array(MIB).fill(0x20))
        if (sent >= 400 * MIB) controller.close()
      },
    })
    const answer = await send('/v1/memory.set', body, { duplex: 'half' }).catch(() => null)
    // The line may be cut before all that was on its way is read: then nothing says so but the end of the stream.
    if (answer !== null) await refused(answer, 413, 'PAYLOAD_TOO_LARGE')
    expect(sent).toBeLessThan(200 * MIB)
  })

  test('an unknown operation names the nearest', async () => {
    expect((await refused(await send('/v1/memory.serch', '{}'), 404, 'UNKNOWN_OPERATION')).did_you_mean).toBe('memory.search')
    await refused(await send('/v1/%00', '{}'), 404, 'UNKNOWN_OPERATION')
    await refused(await send('/v1/__proto__', '{}'), 404, 'UNKNOWN_OPERATION')
    await refused(await send('/v1/', '{}'), 404, 'UNKNOWN_OPERATION')
    await refused(await send('/elsewhere', '{}'), 404, 'UNKNOWN_OPERATION')
  })

  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])('method %s of an operation is refused with Allow', async (method) => {
    const answer = await send('/v1/memory.get', null, { method })
    await refused(answer, 405, 'METHOD_NOT_ALLOWED')
    expect(answer.headers.get('allow')).toBe('POST')
  })

  test('a foreign Origin is refused on every address', async () => {
    for (const origin of ['https://evil.example', 'http://localhost:1', 'null']) {
      await refused(await send('/v1/memory.get', '{"memory_key":"a"}', { headers: { origin } }), 421, 'HOST_NOT_ALLOWED')
      await refused(await send('/mcp', '{}', { headers: { origin } }), 421, 'HOST_NOT_ALLOWED')
    }
    const own = await send('/v1/memory.get', '{"memory_key":"no/such/key"}', { headers: { origin: server.url } })
    expect(own.status).toBe(200)
  })
})

describe('over MCP', () => {
  const call = (name: string, args: string): Promise<Answer> =>
    send('/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`, {
      headers: { accept: 'application/json, text/event-stream' },
    })

  /** The same body as over HTTP, as the structured content of a tool that failed. */
  async function refusedTool(answer: Answer, code: string): Promise<void> {
    expect(answer.status).toBe(200)
    const { isError, structuredContent, content } = answer.body.result as {
      isError: boolean
      structuredContent: ErrorBody
      content: { text: string }[]
    }
    expect(isError).toBe(true)
    expect(structuredContent.detail).toMatchObject({ code, message: expect.any(String), request_id: expect.any(String) })
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent)
    const next = await call('loom_memory_get', '{"memory_key":"no/such/key"}')
    expect(next.body.result).toMatchObject({ structuredContent: { found: false } })
  }

  test.each([
    ['a near miss of a field', '{"memory_key":"bad/input","value":1,"tagz":[]}', 'UNKNOWN_ARGUMENT'],
    ['a wrong type', '{"memory_key":"bad/input","value":1,"tags":5}', 'INVALID_ARGUMENT'],
    ['NUL', String.raw`{"memory_key":"bad/input","value":"\u0000"}`, 'INVALID_ARGUMENT'],
    ['a lone surrogate', String.raw`{"memory_key":"bad/input","value":"\ud800"}`, 'INVALID_ARGUMENT'],
    ['a long key', `{"memory_key":"${'k'.repeat(10_000)}","value":1}`, 'INVALID_ARGUMENT'],
    ['100 levels', `{"memory_key":"bad/input","value":${'['.repeat(100)}${']'.repeat(100)}}`, 'INVALID_ARGUMENT'],
  ])('%s is refused', async (_, args, code) => {
    await refusedTool(await call('loom_memory_set', args), code)
  })

  test('an unknown field that is near nothing is served, and named', async () => {
    const answer = await call('loom_memory_set', '{"memory_key":"bad/input","value":1,"zzzzzzzz":1}')
    expect(answer.body.result).toMatchObject({ structuredContent: { ignored_args: ['zzzzzzzz'] } })
  })

  test('unknown tools and operations are typed errors', async () => {
    await refusedTool(await call('loom_memory_serch', '{}'), 'UNKNOWN_OPERATION')
    await refusedTool(await call('loom_op', '{"op":"memory.serch"}'), 'UNKNOWN_OPERATION')
    await refusedTool(await call('loom_op', '{"op":5}'), 'INVALID_ARGUMENT')
    await refusedTool(await call('loom_op', '{"op":"memory.get","arguments":"[]"}'), 'INVALID_ARGUMENT')
  })

  test.each([
    ['broken JSON', '{"jsonrpc":', 'application/json', 400, 'INVALID_JSON'],
    ['no message', '{}', 'application/json', 400, 'INVALID_JSON'],
    ['an empty batch', '[]', 'application/json', 400, 'INVALID_JSON'],
    ['1,000,000 levels', '['.repeat(1_000_000), 'application/json', 400, 'INVALID_JSON'],
    ['another content type', '{}', 'text/plain', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['33 MiB', ' '.repeat(33 * MIB), 'application/json', 413, 'PAYLOAD_TOO_LARGE'],
  ])('%s is refused', async (_, body, type, status, code) => {
    const answer = await send('/mcp', body, { headers: { 'content-type': type } })
    await refused(answer, status, code)
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  })

  test('other methods, toolsets and sessions are refused', async () => {
    const get = await send('/mcp', null, { method: 'GET' })
    await refused(get, 405, 'METHOD_NOT_ALLOWED')
    expect(get.headers.get('allow')).toBe('POST')
    await refused(await send('/mcp?toolset=nonsense', '{}'), 422, 'INVALID_ARGUMENT')
    await refused(await send('/mcp?namespace=Not%20One', '{}'), 422, 'INVALID_ARGUMENT')
    await refused(await send('/mcp', '{}', { headers: { 'mcp-session-id': 'made-up' } }), 404, 'NOT_FOUND')
  })
})
