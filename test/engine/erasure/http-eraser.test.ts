import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpEraser } from '../../../shared/engine/erasure/external/http.ts'
import { loadErasers } from '../../../shared/engine/erasure/external/load.ts'

const SECRET = 'a secret of the eraser'
const CALL = { org: 'acme', namespace: 'chat', user_id: 'u-1', tag: 'loom:acme:chat:u-1', erasure_id: 'er_1', purge: true }

describe('the eraser that asks over HTTP', () => {
  let server: Server
  let url: URL
  const got: { headers: IncomingHttpHeaders; body: string }[] = []
  let answer: { status: number; body: string; headers?: Record<string, string> } = { status: 200, body: '{"affected":7}' }
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (data: Buffer) => (body += data.toString()))
      request.on('end', () => {
        got.push({ headers: request.headers, body })
        response.writeHead(answer.status, answer.headers)
        response.end(answer.body)
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/erase`)
  })
  afterAll(() => server.close())

  const eraser = (secret: string | undefined = SECRET) =>
    httpEraser({ url, secretOf: (name) => (name === 'LOOM_WEBHOOK_SECRET_ACME__ERASURE' ? secret : undefined), timeoutMs: 5000 })

  it('[ERA048] [ERA050] sends what to erase, signed, under an id that a repeat has too, and takes the count', async () => {
    answer = { status: 200, body: '{"affected":7}' }
    expect(await eraser().erase(CALL)).toEqual({ affected: 7 })
    await eraser().erase(CALL)
    const [first, second] = got.slice(-2)
    expect(JSON.parse(first?.body ?? '')).toEqual(CALL)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(new Webhook(SECRET, { format: 'raw' }).verify(first?.body ?? '', first?.headers as Record<string, string>)).toEqual(CALL)
  })

  it.each([
    ['a refusal', { status: 500, body: '' }],
    ['no count', { status: 200, body: '{}' }],
    ['half an answer', { status: 200, body: '{"affected":' }],
    ['a negative count', { status: 200, body: '{"affected":-1}' }],
    ['a redirect', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }],
    ['an answer without end', { status: 200, body: `{"affected":1,"x":"${'y'.repeat(100_000)}"}` }],
  ])('[ERA049] fails closed on %s', async (_name, told) => {
    answer = told
    await expect(eraser().erase(CALL)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('[ERA049] fails closed without a secret, and where nothing answers', async () => {
    await expect(eraser('').erase(CALL)).rejects.toMatchObject({
      message: expect.stringContaining('LOOM_WEBHOOK_SECRET_ACME__ERASURE') as string,
    })
    const nowhere = httpEraser({ url: new URL('http://127.0.0.1:9/'), secretOf: () => SECRET, timeoutMs: 2000 })
    await expect(nowhere.erase(CALL)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('[ERA048] is made of an address; anything else is a module, and what cannot be used stops the start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loom-eraser-'))
    const path = join(folder, 'mine.mjs')
    await writeFile(path, 'export const eraser = { name: "mine", erase: async () => ({ affected: 1 }) }\n')
    const made = await loadErasers([url.href, path], () => SECRET)
    expect(made.map(({ name }) => name)).toEqual([url.host, 'mine'])
    await writeFile(join(folder, 'empty.mjs'), 'export const other = 1\n')
    for (const wrong of [join(folder, 'none.mjs'), join(folder, 'empty.mjs'), 'http://'])
      await expect(loadErasers([wrong], () => SECRET)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining('LOOM_EXTERNAL_ERASERS') as string,
      })
    await rm(folder, { recursive: true })
  })
})
