import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createElectric, type Electric } from '../../../shared/engine/shapes/electric.ts'
import { follow, openShapeServer, until, type ShapeServer } from './shape-server.ts'

/** What the upstream got: no Electric runs here, so a server that records, and answers as one would. */
interface Asked {
  readonly method: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

let upstream: Server
let asked: Asked[] = []
let respond: (query: URLSearchParams, response: ServerResponse) => void
let server: ShapeServer
let electric: Electric
let url: string

const HANDLE = 'their-handle'
function answerEmpty(_query: URLSearchParams, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=604800',
    'electric-handle': HANDLE,
    'electric-offset': '0_inf',
    'electric-schema': '{}',
    'electric-up-to-date': '',
    etag: '"their-etag"',
    'x-internal': 'theirs alone',
  })
  response.end('[{"headers":{"control":"up-to-date"}}]')
}

beforeAll(async () => {
  upstream = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x')
    asked.push({ method: request.method ?? '', query: searchParams, headers: request.headers })
    if (request.method === 'DELETE') response.writeHead(202).end()
    else respond(searchParams, response)
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/?secret=between-us`
  // The store is opened by the server, and the gate needs it: given a moment later.
  const holder: { electric?: Electric } = {}
  server = await openShapeServer({
    electric: {
      holds: (shape) => holder.electric?.holds(shape) ?? false,
      pass: async (passage) => electric.pass(passage),
      removeGone: () => electric.removeGone(),
    },
  })
  electric = createElectric({ database: server.loom.database, url, log: { warn: () => {} }, clock: Date.now })
  holder.electric = electric
})
beforeEach(() => {
  asked = []
  respond = answerEmpty
})
afterAll(async () => {
  await server.close()
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})

const parametersOf = ({ query }: Asked): string[] => [...query].filter(([name]) => name.startsWith('params')).map(([, value]) => value)

describe('behind ELECTRIC_URL', () => {
  test('a request is written anew from the token: table, condition with its values, columns', async () => {
    const token = await server.token({ grants: { chat: 'viewer', ops: 'writer' }, user_id: 'ann' })
    const answer = await server.ask(token, { table: 'memory', offset: '-1' }, { 'if-none-match': '"x"' })
    expect(answer.status).toBe(200)
    const [first] = asked
    if (!first) throw new Error('nothing was asked')
    expect(first.query.get('table')).toBe('loom.memory')
    expect(first.query.get('where')).toBe("org = $1 AND namespace IN ($2, $3) AND user_id = $4 AND erased_by = ''")
    expect(parametersOf(first)).toEqual(['acme', 'chat', 'ops', 'ann'])
    expect(first.query.get('columns')).toMatch(/^"org","namespace",.*"rev"$/)
    expect(first.query.get('columns')).not.toMatch(/erased_by|vec|code/)
    expect([first.query.get('offset'), first.query.get('secret'), first.query.has('handle')]).toEqual(['-1', 'between-us', false])
    expect(first.headers['authorization']).toBeUndefined()
    expect(first.headers['if-none-match']).toBe('"x"')
  })

  test('what it answers is passed on, but never to be kept', async () => {
    const token = await server.token({ grants: { chat: 'viewer' } })
    const answer = await server.ask(token, { table: 'versions', offset: '0_0', handle: 'h', live: 'true', cursor: '7' })
    expect(await answer.json()).toEqual([{ headers: { control: 'up-to-date' } }])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'electric-handle': HANDLE,
      'electric-offset': '0_inf',
      etag: '"their-etag"',
      'cache-control': 'private, no-store',
    })
    expect(answer.headers.has('x-internal')).toBe(false)
    expect(Object.fromEntries(asked[0]?.query ?? [])).toMatchObject({ handle: 'h', live: 'true', cursor: '7', offset: '0_0' })
    respond = (_query, response) =>
      response
        .writeHead(409, { 'content-type': 'application/json', 'electric-handle': 'new' })
        .end('[{"headers":{"control":"must-refetch"}}]')
    const refetch = await server.ask(token, { table: 'memory', offset: '0_0', handle: 'old' })
    expect([refetch.status, refetch.headers.get('electric-handle'), refetch.headers.get('cache-control')]).toEqual([
      409,
      'new',
      'private, no-store',
    ])
  })

  test('the gate stands as it does without: token, rights, and what may not be sent', async () => {
    const viewer = await server.token({ grants: { chat: 'viewer' } })
    expect((await server.ask('loom_x', { table: 'memory', offset: '-1' })).status).toBe(401)
    expect((await server.ask(viewer, { table: 'memory', offset: '-1', where: 'true' })).status).toBe(422)
    expect((await server.ask(viewer, { table: 'blacklist', offset: '-1' })).status).toBe(403)
    expect((await server.ask(viewer, { table: 'memory' })).status).toBe(400)
    expect(asked).toEqual([])
  })

  test('a shape whose filter needs another table is answered by the server itself', async () => {
    const admin = await server.token({ grants: { '*': 'org_admin' } })
    const { shape, stop } = follow(server.url, admin, 'relations')
    await shape.rows
    await server.call(admin, 'memory.set', {
      namespace: 'chat',
      agent: 'a',
      memory_key: 'k',
      value: 'Tea is green.',
      relations: [['tea', 'is', 'green']],
    })
    await until(() => shape.currentRows.length === 1)
    expect(asked).toEqual([])
    stop()
  })

  test('its answer is passed on piece by piece, and a follower that goes ends its request', async () => {
    const token = await server.token({ grants: { chat: 'viewer' } })
    let ended = false
    respond = (_query, response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'electric-handle': HANDLE,
        'electric-offset': '0_0',
        'electric-cursor': '1',
      })
      response.write('data: {"headers":{"control":"up-to-date"}}\n\n')
      response.once('close', () => (ended = true))
    }
    const ending = new AbortController()
    const answer = await server.ask(
      token,
      { table: 'memory', offset: '0_0', handle: 'h', live: 'true', live_sse: 'true' },
      {},
      ending.signal,
    )
    const reader = answer.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: {"headers":{"control":"up-to-date"}}\n\n')
    expect(asked[0]?.query.get('live_sse')).toBe('true')
    ending.abort()
    await reader?.read().catch(() => null)
    await until(() => ended)
  })

  test('a token that is revoked while it waits there gets nothing', async () => {
    const token = await server.token({ grants: { chat: 'viewer' } })
    respond = (query, response) => void sleep(300).then(() => answerEmpty(query, response))
    const poll = server.ask(token, { table: 'memory', offset: '0_0', handle: 'h', live: 'true' })
    await sleep(100)
    await sql`UPDATE loom.auth_token SET revoked_at = now() WHERE token_id = ${token.split('_')[1]}`.execute(server.loom.database.reader)
    expect((await poll).status).toBe(401)
  })

  test('9: shapes of an erased scope are deleted there, each by its whole definition', async () => {
    const [near, far] = [await server.token({ grants: { gone: 'viewer' } }), await server.token({ grants: { stays: 'viewer' } })]
    for (const token of [near, far]) for (const table of ['memory', 'erasures']) await server.ask(token, { table, offset: '-1' })
    const [first] = asked
    asked = []
    await server.shapes.erase({ org: 'acme', namespaces: ['gone'], user_id: '' })
    const deleted = asked.filter(({ method, query }) => method === 'DELETE' && query.get('where')?.includes('IN'))
    const mine = deleted.filter((one) => parametersOf(one).includes('gone'))
    expect(mine).toHaveLength(1)
    const definition = (one: Asked | undefined): unknown =>
      ['table', 'where', 'columns', 'params[1]', 'params[2]'].map((name) => one?.query.get(name))
    expect(definition(mine[0])).toEqual(definition(first))
    expect(deleted.some((one) => parametersOf(one).includes('stays'))).toBe(false)
    asked = []
    await electric.removeGone()
    expect(asked).toEqual([])
  })

  test('a service that is away or refuses us is 503, and says nothing of itself', async () => {
    const token = await server.token({ grants: { chat: 'viewer' } })
    respond = (_query, response) => response.writeHead(401).end('{"message":"Unauthorized - Invalid API secret"}')
    const refused = await server.ask(token, { table: 'memory', offset: '-1' })
    const body = (await refused.json()) as { detail: { code: string; message: string } }
    expect([refused.status, body.detail.code]).toEqual([503, 'UNAVAILABLE'])
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(JSON.stringify(body)).not.toMatch(/secret|127\.0\.0\.1/)
  })
})
