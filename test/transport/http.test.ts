import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpContract } from '../../shared/contract/declare.ts'
import { ERROR_TABLE, LoomError, type ErrorCode } from '../../shared/contract/errors.ts'
import { answersOn } from '../../shared/contract/hosts.ts'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { errorAnswer } from '../../shared/transport/http-answer.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { OPENING_MS, serveEngine, testEngine } from '../helpers/transports.ts'

let server: Listening
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-static-'))
  await mkdir(join(folder, 'site', 'assets'), { recursive: true })
  await writeFile(join(folder, 'site', 'index.html'), '<!doctype html><title>Loom</title>')
  await writeFile(join(folder, 'site', 'assets', 'index-abc.js'), 'export {}')
  await writeFile(join(folder, 'secret.txt'), 'not for the web')
  server = await serveEngine(await testEngine(), { staticDir: join(folder, 'site') })
}, OPENING_MS)
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

async function post(
  op: string,
  body: unknown,
  headers: Record<string, string> = {},
  base = server.url,
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(`${base}/v1/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, headers: response.headers }
}

describe('operations', () => {
  const documented = REGISTRY['memory.set'].example?.input as Record<string, unknown>

  test('[SET022] the documented call stores the row, with no token in single-user mode', async () => {
    const { status, body } = await post('memory.set', documented)
    expect(status).toBe(200)
    expect(body).toMatchObject({ conflict_verdict: 'clear', noop: false, memory_key: 'deploy/window/prod', next: '' })
    expect(body.content_sha256).toMatch(/^[0-9a-f]{64}$/)
    const { body: row } = await post('memory.get', { org: 'dev', namespace: 'local', agent: 'ops-bot', memory_key: 'deploy/window/prod' })
    expect(row).toMatchObject({ found: true, value: documented.value, agent: 'ops-bot' })
    // A token that somebody sends all the same is not looked at.
    expect(await post('memory.set', documented, { authorization: 'Bearer nonsense' })).toMatchObject({ status: 200, body: { noop: true } })
  })

  test('[API006] each operation answers at POST /v1/<op>, as it says itself', async () => {
    for (const contract of Object.values<OpContract>(REGISTRY)) {
      const { name, input } = contract
      const { status, body } = await post(name, {})
      if (!answersOn(contract, { host: 'desktop', mode: 'single' })) {
        expect(body, name).toMatchObject({ detail: { code: 'UNKNOWN_OPERATION', host_needed: 'server' } })
        continue
      }
      const isComplete = input.safeParse({}).success
      const code = (body.detail as { code?: ErrorCode } | undefined)?.code
      if (code === undefined) expect(status, name).toBe(200)
      else expect([ERROR_TABLE[code].status, isComplete ? '' : code], name).toEqual([status, isComplete ? '' : 'INVALID_ARGUMENT'])
    }
  })

  test('[API019] a call without a token takes org, namespace and agent from the install', async () => {
    await post('memory.set', { memory_key: 'identity/install', value: 'Filled from the install.' })
    const { body } = await post('memory.get', { memory_key: 'identity/install' })
    expect(body).toMatchObject({ org: 'dev', namespace: 'local', agent: 'default', user_id: '-', session_id: '-', actor: 'human:local' })
  })

  test('an idempotency key answers the same again, and refuses another body', async () => {
    const headers = { 'idempotency-key': 'http-test-1' }
    const first = await post('memory.set', { memory_key: 'again/one', value: 'Once.' }, headers)
    const again = await post('memory.set', { memory_key: 'again/one', value: 'Once.' }, headers)
    expect(again).toMatchObject({ status: 200, body: first.body })
    const other = await post('memory.set', { memory_key: 'again/one', value: 'Another.' }, headers)
    expect(other).toMatchObject({ status: 409, body: { detail: { code: 'IDEMPOTENCY_MISMATCH' } } })
    const bad = await post('memory.set', { memory_key: 'again/one', value: 'x' }, { 'idempotency-key': 'with space' })
    expect(bad).toMatchObject({ status: 422, body: { detail: { field: 'Idempotency-Key' } } })
  })

  test('a sane request id is kept, another is replaced', async () => {
    expect((await post('engine.info', {}, { 'x-request-id': 'abc-123' })).headers.get('x-request-id')).toBe('abc-123')
    const made = (await post('engine.info', {}, { 'x-request-id': 'a b<script>' })).headers.get('x-request-id')
    expect(made).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })
})

describe('errors', () => {
  test('[API011] every code has its documented status', async () => {
    const documented: Partial<Record<ErrorCode, number>> = {
      MISSING_IDENTITY_FIELD: 400,
      PINNED_CONFLICT: 409,
      PRECONDITION_FAILED: 409,
      AMBIGUOUS_KEY: 409,
      EXPIRED: 409,
      KEY_HOLDS_FACT: 409,
      PAYLOAD_TOO_LARGE: 413,
      UNKNOWN_ARGUMENT: 422,
      CHAR_LIMIT_EXCEEDED: 422,
      BLACKLISTED: 422,
      LOCKED: 423,
    }
    for (const [code, status] of Object.entries(documented)) {
      expect(errorAnswer(new LoomError(code as ErrorCode, 'A message.'), 'id').status, code).toBe(status)
    }
  })

  test('[API026] an error answer has the documented body, with the fields of its code', async () => {
    const answer = errorAnswer(new LoomError('RATE_LIMITED', 'Too many.', { retry_after_s: 1.2, class: 'write' }), 'id-1')
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(await answer.json()).toEqual({
      detail: {
        code: 'RATE_LIMITED',
        message: 'Too many.',
        category: 'limit',
        retryable: true,
        retry_after_s: 1.2,
        class: 'write',
        request_id: 'id-1',
      },
    })
  })

  test('a fault of ours shows neither its message nor its stack', async () => {
    const text = await errorAnswer(new Error('password=hunter2'), 'id-2').text()
    expect(text).not.toContain('hunter2')
    expect(JSON.parse(text)).toMatchObject({ detail: { code: 'INTERNAL', request_id: 'id-2', retryable: true } })
  })
})

describe('besides operations', () => {
  test('[API028] health says how the engine stands', async () => {
    const answer = await fetch(`${server.url}/v1/health`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      status: 'ok',
      version: expect.any(String),
      judge_version: expect.any(String),
      degraded: [],
    })
  })

  test('events tell what changed, without its value', async () => {
    const stream = await fetch(`${server.url}/v1/events`)
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    await post('memory.set', { memory_key: 'events/one', value: 'A value that no event may hold.' })
    let text = ''
    while (!text.includes('events/one')) text += (await reader?.read())?.value ?? ''
    await reader?.cancel()
    expect(text).toContain('"type":"memory.changed"')
    expect(text).not.toContain('no event may hold')
  })

  test('the interface is served with its rules, and nothing outside its folder', async () => {
    const page = await fetch(`${server.url}/`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const asPage = { headers: { accept: 'text/html,*/*' } }
    expect(await (await fetch(`${server.url}/memories/some-id`, asPage)).text()).toContain('<title>Loom</title>')
    const asset = await fetch(`${server.url}/assets/index-abc.js`)
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(asset.headers.get('x-content-type-options')).toBe('nosniff')
    for (const path of [
      '/assets/none.js',
      '/..%2fsecret.txt',
      '/%2e%2e/secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/%00',
      '/%ff',
      '/v1/nothing',
    ]) {
      const answer = await fetch(server.url + path)
      expect(await answer.json(), path).toMatchObject({ detail: { code: 'UNKNOWN_OPERATION' } })
      expect(await (await fetch(server.url + path, asPage)).text(), path).not.toContain('not for the web')
    }
  })
})
