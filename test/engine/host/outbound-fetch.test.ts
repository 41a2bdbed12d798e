import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttp, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openChatServer } from '../../helpers/chat-server.ts'
import { createChatService } from '../../../shared/engine/llm/chat-service.ts'
import { createOutboundFetch, fetchFor } from '../../../shared/engine/host/outbound-fetch.ts'

/** Of localhost and 127.0.0.1 alone, for a hundred years; it guards nothing. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKEUsh4P6ETAi6Nue
S9mrtA8z7rEDf6eOqg7iZ994wtqhRANCAATP6KLiWAawI+moyZrkE1FyaerKdVXe
9Kij2RYLWi88Ueu3nSDGj378Q0T/qpsBvQdOw1naB8oEngzZow0rJtS4
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUTLyH56zFiH/B6O4rwytdGlLp7kswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDE5MjM1OFoYDzIxMjYxMTA2
MTkyMzU4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATP6KLiWAawI+moyZrkE1FyaerKdVXe9Kij2RYLWi88Ueu3nSDGj378
Q0T/qpsBvQdOw1naB8oEngzZow0rJtS4o28wbTAdBgNVHQ4EFgQUEMZ05J161BjC
a/fzPLXLEJRA2UEwHwYDVR0jBBgwFoAUEMZ05J161BjCa/fzPLXLEJRA2UEwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgHQqqa04s1eVbQoitdq+82O4nHCqcPgVwowrHjSN9syoCIEvP
2xy3GQFU5gdAd148Cqe0Ly1N0WjNpXQheSdu7nnM
-----END CERTIFICATE-----`
const NO_NETWORK = { httpProxy: '', httpsProxy: '', noProxy: '', extraCertificates: '' }

const servers: Server[] = []
const listen = async (server: Server): Promise<number> => {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

let folder: string
let plain: string
let secure: string
let proxy: string
let tunnelled: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-test-'))
  await writeFile(join(folder, 'ca.pem'), CERTIFICATE)
  plain = `http://127.0.0.1:${await listen(createHttp((_request, answer) => answer.end('plain')))}`
  secure = `https://127.0.0.1:${await listen(createHttps({ key: KEY, cert: CERTIFICATE }, (_request, answer) => answer.end('secure')))}`
  const between = createHttp()
  between.on('connect', (request, socket, head) => {
    tunnelled.push(request.url ?? '')
    const [name = '', port = ''] = (request.url ?? '').split(':')
    const host = name.endsWith('.example') ? '127.0.0.1' : name
    const far = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      far.write(head)
      far.pipe(socket).pipe(far)
    })
    far.on('error', () => socket.destroy())
    socket.on('error', () => far.destroy())
  })
  proxy = `http://127.0.0.1:${await listen(between)}`
})
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  await rm(folder, { recursive: true, force: true })
})

const read = async (made: typeof fetch, url: string): Promise<string> => (await made(url)).text()

describe('reaching others', () => {
  test('without proxy and certificates it is the plain fetch', () => {
    expect(createOutboundFetch(NO_NETWORK)).toBe(fetch)
  })

  test('goes through the proxy that the environment names, but for the hosts that need none', async () => {
    tunnelled = []
    const through = createOutboundFetch({ ...NO_NETWORK, httpProxy: proxy, httpsProxy: proxy })
    expect(await read(through, plain)).toBe('plain')
    expect(tunnelled).toEqual([new URL(plain).host])
    const around = createOutboundFetch({ ...NO_NETWORK, httpProxy: proxy, httpsProxy: proxy, noProxy: '127.0.0.1' })
    expect(await read(around, plain)).toBe('plain')
    expect(tunnelled).toHaveLength(1)
  })

  test("trusts a team's own certificates, directly and behind the proxy, and no other", async () => {
    tunnelled = []
    const extraCertificates = join(folder, 'ca.pem')
    expect(await read(createOutboundFetch({ ...NO_NETWORK, extraCertificates }), secure)).toBe('secure')
    expect(await read(createOutboundFetch({ ...NO_NETWORK, httpsProxy: proxy, extraCertificates }), secure)).toBe('secure')
    expect(tunnelled).toEqual([new URL(secure).host])
    await expect(read(createOutboundFetch({ ...NO_NETWORK, httpsProxy: proxy }), secure)).rejects.toThrow()
    expect(() => createOutboundFetch({ ...NO_NETWORK, extraCertificates: join(folder, 'none.pem') })).toThrow('NODE_EXTRA_CA_CERTS')
  })

  test('a language model is asked through the proxy, but for one on this machine', async () => {
    await using chat = await openChatServer()
    chat.reply = () => 'Said.'
    const network = { ...NO_NETWORK, httpProxy: proxy, httpsProxy: proxy }
    const say = (url: string) =>
      createChatService({ url, model: 'small', apiKey: '', timeoutMs: 5000 }, fetchFor(url, network)).complete({
        system: '',
        user: '{}',
        maxTokens: 10,
        json: false,
      })
    tunnelled = []
    const far = chat.url.replace('127.0.0.1', 'models.example')
    expect((await say(far)).text).toBe('Said.')
    expect(tunnelled).toEqual([new URL(far).host])
    expect((await say(chat.url)).text).toBe('Said.')
    expect((await say(chat.url.replace('127.0.0.1', 'localhost'))).text).toBe('Said.')
    expect(tunnelled).toHaveLength(1)
  })
})
