import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Listening } from '../../shared/transport/serve.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { serveEngine } from '../helpers/transports.ts'
import { detailOf, mint, overHttp } from './token-helpers.ts'

let loom: TestEngine
let server: Listening
const bearer: Record<string, string> = {}

/** Rows of two orgs, and in one of them of two users and two sessions. */
const ROWS = [
  ['ann', { user_id: 'ann', memory_key: 'ann/tea', value: 'Ann drinks green tea in the morning.' }],
  ['admin', { user_id: 'bob', memory_key: 'bob/tea', value: 'Bob drinks black tea in the evening.' }],
  ['admin', { memory_key: 'house/tea', value: 'The kitchen keeps tea in the left cupboard.' }],
  ['admin', { session_id: 's2', memory_key: 'session/tea', value: 'This session is about tea houses in Kyoto.' }],
  ['session', { memory_key: 'session/tea', value: 'That session is about tea fields in Assam.' }],
  ['rival', { memory_key: 'rival/tea', value: 'The rival sells tea for nine euros.' }],
] as const
const ids: Record<string, string> = {}

const call = async (who: string, op: string, input: object) => overHttp(server.url, op, input, `Bearer ${bearer[who] ?? ''}`)
const keysOf = (body: Record<string, unknown>, list: string): string[] =>
  (body[list] as { memory_key: string; user_id?: string }[]).map((row) => row.memory_key).sort()

beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS })
  server = await serveEngine(loom.engine)
  const tokens = {
    admin: { grants: { chat: 'admin' } },
    org: { grants: { '*': 'org_admin' } },
    ann: { grants: { chat: 'writer' }, user_id: 'ann' },
    session: { grants: { chat: 'writer' }, own_session: true, session_id: 's1' },
    rival: { org: 'rival', grants: { chat: 'writer' } },
    rivalOrg: { org: 'rival', grants: { '*': 'org_admin' } },
  } as const
  for (const [who, token] of Object.entries(tokens)) bearer[who] = (await mint(loom.database, token)).token
  for (const [who, row] of ROWS) {
    const { body } = await call(who, 'memory.set', { agent: 'a', ...row })
    expect(body).toMatchObject({ status: 'active' })
    ids[row.memory_key + (who === 'session' ? '@s1' : '')] = String(body['memory_id'])
  }
})
afterAll(async () => {
  await server.close()
  await loom.close()
})

describe('[API031] a token bound to one user', () => {
  test('sees that user’s rows alone, by every read', async () => {
    expect(keysOf((await call('ann', 'memory.list', {})).body, 'rows')).toEqual(['ann/tea'])
    expect(keysOf((await call('ann', 'memory.search', { query: 'who drinks tea' })).body, 'results')).toEqual(['ann/tea'])
    expect((await call('ann', 'memory.get_by_id', { memory_id: ids['ann/tea'] })).body).toMatchObject({ found: true })
    for (const key of ['bob/tea', 'house/tea', 'session/tea']) {
      expect([key, (await call('ann', 'memory.get_by_id', { memory_id: ids[key] })).body['found']]).toEqual([key, false])
      expect([key, (await call('ann', 'memory.get', { agent: 'a', memory_key: key })).body['found']]).toEqual([key, false])
      expect([key, (await call('ann', 'memory.history', { agent: 'a', memory_key: key })).body['found']]).toEqual([key, false])
    }
    expect((await call('ann', 'engine.info', {})).body['counts']).toMatchObject({ memories: 1, versions: 1 })
    expect((await call('ann', 'namespace.list', {})).body['namespaces']).toMatchObject([{ namespace: 'chat', rows: 1 }])
  })

  test('changes no other row', async () => {
    for (const key of ['bob/tea', 'house/tea']) {
      const gone = await call('ann', 'memory.delete', { agent: 'a', memory_key: key })
      expect([key, gone.body['found']]).toEqual([key, false])
      expect((await call('admin', 'memory.get_by_id', { memory_id: ids[key] })).body).toMatchObject({ found: true })
    }
    expect((await call('admin', 'memory.delete', { agent: 'a', memory_key: 'bob/tea' })).body).toMatchObject({ tombstoned: true })
    const back = await call('ann', 'memory.restore', { agent: 'a', memory_key: 'bob/tea' })
    expect(back.body).toMatchObject({ restored: false })
    expect((await call('admin', 'memory.restore', { agent: 'a', memory_key: 'bob/tea' })).body).toMatchObject({ restored: true })
  })

  test('is told nothing of another’s row by a verdict', async () => {
    const set = await call('ann', 'memory.set', {
      agent: 'a',
      memory_key: 'copy',
      value: 'Bob drinks black tea in the evening.',
      dry_run: true,
    })
    expect(set.body).toMatchObject({ conflict_verdict: 'clear', peers: [], merged_into_key: '' })
    const admin = await call('admin', 'memory.set', {
      agent: 'a',
      user_id: 'bob',
      memory_key: 'copy',
      value: 'Bob drinks black tea in the evening.',
      dry_run: true,
    })
    expect(admin.body).toMatchObject({ conflict_verdict: 'merge', merged_into_key: 'bob/tea' })
  })

  test('makes no namespace and no pattern for all, even as admin', async () => {
    const { token } = await mint(loom.database, { grants: { chat: 'admin' }, user_id: 'ann' })
    for (const [op, input] of [
      ['namespace.register', { namespace: 'chat', description: 'x' }],
      ['blacklist.add', { namespace: 'chat', pattern: 'secret' }],
    ] as const)
      expect(detailOf(await overHttp(server.url, op, input, `Bearer ${token}`)).code).toBe('FORBIDDEN')
  })
})

describe('[API031] a token bound to its own session', () => {
  test('sees its session’s rows alone', async () => {
    expect((await call('session', 'memory.get', { agent: 'a', memory_key: 'session/tea' })).body).toMatchObject({
      found: true,
      session_id: 's1',
      value: 'That session is about tea fields in Assam.',
    })
    const listed = (await call('session', 'memory.list', {})).body['rows'] as { session_id: string }[]
    expect(listed.map((row) => row.session_id)).toEqual(['s1'])
    expect(keysOf((await call('session', 'memory.search', { query: 'tea' })).body, 'results')).toEqual(['session/tea'])
    expect((await call('session', 'memory.get_by_id', { memory_id: ids['session/tea'] })).body).toMatchObject({ found: false })
  })
})

describe('[API031] a token of one org', () => {
  const everyRead = ['memory.list', 'memory.search', 'memory.get', 'memory.history', 'namespace.list'] as const
  const inputOf = (op: string): object =>
    ({
      'memory.list': {},
      'memory.search': { query: 'tea', namespace_scope: ['*'] },
      'memory.get': { agent: 'a', memory_key: 'house/tea' },
      'memory.history': { agent: 'a', memory_key: 'house/tea' },
      'namespace.list': {},
    })[op] ?? {}

  test('reads nothing of another, by key, id, list, search or count', async () => {
    for (const who of ['rival', 'rivalOrg']) {
      const scope = who === 'rivalOrg' ? { namespace: 'chat' } : {}
      expect(keysOf((await call(who, 'memory.list', scope)).body, 'rows')).toEqual(['rival/tea'])
      expect(keysOf((await call(who, 'memory.search', { ...scope, query: 'tea', namespace_scope: ['*'] })).body, 'results')).toEqual([
        'rival/tea',
      ])
      expect((await call(who, 'memory.get', { ...scope, agent: 'a', memory_key: 'house/tea' })).body).toMatchObject({ found: false })
      expect((await call(who, 'memory.history', { ...scope, agent: 'a', memory_key: 'house/tea' })).body).toMatchObject({ found: false })
      for (const id of Object.entries(ids).filter(([key]) => key !== 'rival/tea'))
        expect([id[0], (await call(who, 'memory.get_by_id', { memory_id: id[1] })).body['found']]).toEqual([id[0], false])
      expect((await call(who, 'engine.info', {})).body['counts']).toMatchObject({ memories: 1, versions: 1 })
      expect((await call(who, 'namespace.list', {})).body['namespaces']).toMatchObject([{ namespace: 'chat', rows: 1 }])
    }
  })

  test.each(everyRead)('%s that names another org is 403 with that field', async (op) => {
    const answer = await call('rivalOrg', op, { ...inputOf(op), ...(op === 'namespace.list' ? {} : { namespace: 'chat' }), org: 'acme' })
    expect(answer.status).toBe(403)
    expect(detailOf(answer)).toMatchObject({ code: 'FORBIDDEN', field: 'org' })
  })

  test('writes, deletes and judges nothing of another', async () => {
    const set = await call('rival', 'memory.set', {
      agent: 'a',
      memory_key: 'house/tea',
      value: 'The kitchen keeps tea in the left cupboard.',
    })
    expect(set.body).toMatchObject({ conflict_verdict: 'clear', peers: [] })
    expect((await call('rival', 'memory.delete', { agent: 'a', memory_key: 'ann/tea' })).body).toMatchObject({ found: false })
    expect((await call('org', 'memory.get_by_id', { memory_id: ids['ann/tea'] })).body).toMatchObject({ found: true })
  })
})
