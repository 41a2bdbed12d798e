import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SHAPES } from '../../../shared/engine/shapes/definitions.ts'
import { follow, openShapeServer, until, type ShapeServer } from './shape-server.ts'

let server: ShapeServer
let admin: string
let rival: string
beforeAll(async () => {
  server = await openShapeServer({ longPollMs: 1500 })
  admin = await server.token({ grants: { '*': 'org_admin' } })
  rival = await server.token({ org: 'rival', grants: { '*': 'org_admin' } })
  await fill()
  const { rows } = await sql<{ namespace: string; ids: string }>`SELECT namespace, string_agg(memory_id, '|') AS ids FROM loom.memory
    WHERE org = 'acme' GROUP BY namespace`.execute(server.loom.database.reader)
  for (const { namespace, ids } of rows) named.set(namespace, ids)
})
afterAll(() => server.close())

const TABLES = Object.keys(SHAPES)
/** Ids of the rows of a namespace, as alternatives. */
const named = new Map<string, string>()
const set = (token: string, input: object): Promise<Record<string, unknown>> => server.call(token, 'memory.set', { agent: 'a', ...input })

/** One word in everything that belongs to `secret`: no answer to anybody else may hold it. */
const WORD = 'Zanzibar'
/** Rows of every kind in two namespaces, for two users, and in another org. */
async function fill(): Promise<void> {
  for (const [namespace, word] of [
    ['open', 'Lisbon'],
    ['secret', WORD],
  ] as const) {
    const key = (name: string): string => `${word.toLowerCase()}/${name}`
    await server.call(admin, 'namespace.register', { namespace, description: `Of ${word}.` })
    await server.call(admin, 'namespace.register_category', { namespace, category: `${word}-category` })
    await server.call(admin, 'blacklist.add', { namespace, pattern: `${word}-never` })
    await set(admin, {
      namespace,
      memory_key: key('office'),
      value: `The ${word} office opens at nine in the morning.`,
      relations: [[word, 'opens', 'nine']],
    })
    await set(admin, { namespace, memory_key: key('office2'), value: `The ${word} office opens at ten in the morning.` })
    await set(admin, { namespace, user_id: 'ann', memory_key: key('ann'), value: `Ann of ${word} drinks tea.` })
    await set(admin, { namespace, session_id: 's1', memory_key: key('session'), value: `A session of ${word}.` })
    await server.call(admin, 'memory.assign_category', { namespace, memory_key: key('office'), category: `${word}-category` })
    await server.call(admin, 'memory.promote', { namespace, memory_key: key('office') })
    for (const user_id of ['-', 'ann', 'bob']) {
      const text = `The ${word} handbook of ${user_id}.`
      await server.call(admin, 'knowledge.add', { namespace, agent: 'a', user_id, document_key: key('handbook'), text })
      const messages = [{ role: 'user', content: `${word} is where ${user_id} is.` }]
      await server.call(admin, 'conversation.append', { namespace, agent: 'a', user_id, thread_id: key('talk'), messages })
    }
    const schema = `visit_${word.toLowerCase()}`
    await server.call(admin, 'memory_schema.register', { namespace, schema, fields: [{ name: 'place', type: 'string' }] })
    for (const user_id of ['-', 'ann']) {
      const fields = { place: `The ${word} office` }
      await server.call(admin, 'memory.record.write', { namespace, agent: 'a', user_id, schema, record_key: key('visit'), fields })
    }
    const ids = await Promise.all(
      ['office', 'office2'].map(
        async (name) => (await server.call(admin, 'memory.get', { namespace, agent: 'a', memory_key: key(name) }))['memory_id'],
      ),
    )
    await sql`INSERT INTO loom.memory_link (org, namespace, from_id, to_id, relation, note, actor, at)
      VALUES ('acme', ${namespace}, ${ids[0]}, ${ids[1]}, 'related', ${word}, 'human:t', now())`.execute(server.loom.database.reader)
    await sql`INSERT INTO loom.memory_pair (org, pair_id, namespace, kind, state, row_id, peer_id, relation, similarity, reason, confidence, unsure, origin, judge_version, at)
      VALUES ('acme', ${`pair-${word}`}, ${namespace}, 'conflict', 'open', ${ids[0]}, ${ids[1]}, 'conflict', 1, ${word}, 1, false, 'local', '1', now())`.execute(
      server.loom.database.reader,
    )
    await server.call(admin, 'profile.set', {
      namespace,
      agent: 'a',
      attribute: 'office',
      value: `Works in ${word}.`,
      built_from: [key('office')],
    })
    await server.call(admin, 'learning.record', { namespace, agent: 'a', lesson: `The ${word} door sticks.`, memory_key: key('door') })
    for (const user_id of ['-', 'ann'])
      await server.call(admin, 'run.start', { namespace, agent: 'a', user_id, run_id: key(`run/${user_id}`), goal: `Visit ${word}.` })
    await sql`INSERT INTO loom.erasure_fence (org, seq, namespace, erasure_id, purge, requested_at)
      VALUES ('acme', ${word.length}, ${namespace}, ${`er-${word}`}, false, now())`.execute(server.loom.database.reader)
  }
  await set(rival, { namespace: 'open', memory_key: 'rival/zanzibar', value: `The rival of ${WORD} is here.` })
}

async function textOf(token: string, table: string): Promise<string> {
  let text = ''
  for (let offset = '-1', handle = ''; ;) {
    const answer = await server.ask(token, { table, offset, ...(handle && { handle }) })
    text += `${await answer.text()}${JSON.stringify([...answer.headers])}`
    if (answer.status !== 200 || answer.headers.has('electric-up-to-date')) return text
    offset = answer.headers.get('electric-offset') ?? ''
    handle = answer.headers.get('electric-handle') ?? ''
  }
}

describe('[API031] a namespace that a token may not read', () => {
  test.each(TABLES)('%s holds nothing of it, by row, key or count', async (table) => {
    const open = await server.token({ grants: { open: 'writer' } })
    const mine = await textOf(open, table)
    const inOpen = new RegExp(`Lisbon|lisbon|"open"|${named.get('open')}`)
    const inSecret = new RegExp(`Zanzibar|zanzibar|secret|${named.get('secret')}`)
    expect(mine).toMatch(inOpen)
    expect(mine).not.toMatch(inSecret)
    const alone = await textOf(await server.token({ grants: { nowhere: 'writer' } }), table)
    expect(alone).not.toMatch(inOpen)
    expect(alone).not.toMatch(inSecret)
    expect(await textOf(admin, table)).toMatch(inSecret)
    expect(await textOf(admin, table)).not.toContain('rival')
  })

  test('moves the logs of nobody else: their ends, their numbers of entries and their waits stay as they were', async () => {
    const open = await server.token({ grants: { open: 'viewer' } })
    const first = await server.ask(open, { table: 'memory', offset: 'now' })
    const [handle, offset] = [first.headers.get('electric-handle') ?? '', first.headers.get('electric-offset') ?? '']
    const poll = server.ask(open, { table: 'memory', offset, handle, live: 'true' })
    let ended = false
    void poll.then(() => (ended = true))
    await set(admin, { namespace: 'secret', memory_key: 'zanzibar/new', value: `New in ${WORD}.` })
    await sleep(700)
    expect(ended).toBe(false)
    expect((await poll).headers.get('electric-offset')).toBe(offset)
  })

  test('and names of it in a request answer as any other name does', async () => {
    const open = await server.token({ grants: { open: 'viewer' } })
    const theirs = await server.ask(await server.token({ grants: { secret: 'viewer' } }), { table: 'memory', offset: '-1' })
    const asked = async (handle: string): Promise<unknown> => {
      const answer = await server.ask(open, { table: 'memory', offset: '0_0', handle })
      return [answer.status, await answer.text(), answer.headers.get('electric-handle')]
    }
    expect(await asked(theirs.headers.get('electric-handle') ?? '')).toEqual(await asked('memory-never-was'))
  })
})

describe('[API031] a bound token', () => {
  test('has its user’s rows alone, and what hangs on them', async () => {
    const ann = await server.token({ grants: { open: 'writer' }, user_id: 'ann' })
    const keys = (text: string): string[] => [...text.matchAll(/"memory_key":"([^"]+)"/g)].map((found) => found[1] ?? '')
    expect(keys(await textOf(ann, 'memory'))).toEqual(['lisbon/ann'])
    expect(new Set(keys(await textOf(ann, 'versions')))).toEqual(new Set(['lisbon/ann']))
    const usersIn = (text: string): string[] =>
      [...new Set([...text.matchAll(/"user_id":"([^"]+)"/g)].map((found) => found[1] ?? ''))].toSorted()
    expect(usersIn(await textOf(ann, 'documents'))).toEqual(['-', 'ann'])
    for (const table of ['threads', 'messages', 'runs']) expect([table, usersIn(await textOf(ann, table))]).toEqual([table, ['ann']])
    for (const table of ['links', 'relations', 'pairs', 'category_links', 'evidence', 'reviews'])
      expect(await textOf(ann, table)).not.toMatch(/isbon|"memory_id"/)
    expect(await textOf(ann, 'blacklist')).toContain('Lisbon-never')
    expect(await textOf(ann, 'schemas')).toContain('visit_lisbon')
    const users = [...(await textOf(ann, 'records')).matchAll(/"user_id":"([^"]+)"/g)].map((found) => found[1])
    expect(new Set(users)).toEqual(new Set(['ann']))
  })

  test('gets a category link when its user writes the key, and loses a row that becomes another’s', async () => {
    const ann = await server.token({ grants: { open: 'writer' }, user_id: 'ann' })
    const links = follow(server.url, ann, 'category_links')
    const rows = follow(server.url, ann, 'memory')
    await until(() => links.stream.isUpToDate && rows.stream.isUpToDate)
    await set(ann, { namespace: 'open', memory_key: 'lisbon/office', value: 'Ann has her own office.' })
    await until(() => links.shape.currentRows.length === 1 && rows.shape.currentRows.length === 2)
    await sql`UPDATE loom.memory SET user_id = 'bob' WHERE org = 'acme' AND user_id = 'ann' AND memory_key = 'lisbon/office'`.execute(
      server.loom.database.reader,
    )
    await until(() => links.shape.currentRows.length === 0 && rows.shape.currentRows.length === 1)
    links.stop()
    rows.stop()
  })

  test('of one session has that session’s rows', async () => {
    const session = await server.token({ grants: { open: 'writer' }, own_session: true, session_id: 's1' })
    expect((await textOf(session, 'memory')).match(/"memory_key":"[^"]+"/g)).toEqual(['"memory_key":"lisbon/session"'])
  })
})

describe('the token', () => {
  test('is asked for in every request, and what a follower may not choose is refused', async () => {
    expect((await server.ask('loom_x', { table: 'memory', offset: '-1' })).status).toBe(401)
    const open = await server.token({ grants: { open: 'viewer' } })
    const choices: Record<string, string>[] = [
      { where: "namespace = 'secret'" },
      { columns: 'org' },
      { params: 'x' },
      { 'params[1]': 'x' },
      { replica: 'full' },
      { log: 'changes_only' },
      { subset__where: 'true' },
      { subset__limit: '1' },
      { org: 'rival' },
    ]
    for (const more of choices) {
      const answer = await server.ask(open, { table: 'memory', offset: '-1', ...more })
      const { detail } = (await answer.json()) as { detail: { code: string; field: string } }
      expect([answer.status, detail.code, detail.field]).toEqual([422, 'INVALID_ARGUMENT', Object.keys(more)[0]])
    }
    expect((await server.ask(open, { table: 'blacklist', offset: '-1' })).status).toBe(403)
    const platform = await server.token({ org: '*', grants: { '*': 'platform_admin' } })
    expect((await server.ask(platform, { table: 'memory', offset: '-1' })).status).toBe(403)
  })

  test.each([false, true])('that is revoked during a wait gets nothing of what came meanwhile (events: %s)', async (sse) => {
    const token = await server.token({ grants: { open: 'viewer' } })
    const first = await server.ask(token, { table: 'memory', offset: 'now' })
    const [handle, offset] = [first.headers.get('electric-handle') ?? '', first.headers.get('electric-offset') ?? '']
    const poll = server.ask(token, { table: 'memory', offset, handle, live: 'true', ...(sse && { live_sse: 'true' }) })
    await sleep(200)
    await sql`UPDATE loom.auth_token SET revoked_at = now() WHERE token_id = ${token.split('_')[1]}`.execute(server.loom.database.reader)
    await set(admin, { namespace: 'open', memory_key: `late/${sse}`, value: `Too late for this one (${sse}).` })
    const answer = await poll
    expect(answer.status).toBe(sse ? 200 : 401)
    expect(await answer.text()).not.toContain('Too late')
  })

  test('whose grants change follows another log', async () => {
    const token = await server.token({ grants: { open: 'viewer', secret: 'viewer' } })
    const { shape, stop } = follow(server.url, token, 'memory')
    await until(() => shape.currentRows.some((row) => row['namespace'] === 'secret'))
    await sql`UPDATE loom.auth_token SET grants = '{"open":"viewer"}' WHERE token_id = ${token.split('_')[1]}`.execute(
      server.loom.database.reader,
    )
    await until(() => shape.currentRows.length > 0 && shape.currentRows.every((row) => row['namespace'] === 'open'))
    stop()
  })

  test('of a caller that goes away ends its wait', async () => {
    const token = await server.token({ grants: { open: 'viewer' } })
    const first = await server.ask(token, { table: 'memory', offset: 'now' })
    const [handle, offset] = [first.headers.get('electric-handle') ?? '', first.headers.get('electric-offset') ?? '']
    const ending = new AbortController()
    await until(() => server.shapes.waiting() === 0)
    const poll = server.ask(token, { table: 'memory', offset, handle, live: 'true' }, {}, ending.signal).catch(() => null)
    await until(() => server.shapes.waiting() === 1)
    ending.abort()
    await poll
    await until(() => server.shapes.waiting() === 0, 500)
  })
})

test('a stream of events tells at once that it is there, and that it lives while nothing happens', async () => {
  const quiet = await openShapeServer({ keepAliveMs: 1000, sseMs: 2500 })
  const token = await quiet.token({ grants: { open: 'viewer' } })
  const first = await quiet.ask(token, { table: 'memory', offset: 'now' })
  const [handle, offset] = [first.headers.get('electric-handle') ?? '', first.headers.get('electric-offset') ?? '']
  const from = performance.now()
  const stream = await quiet.ask(token, { table: 'memory', offset, handle, live: 'true', live_sse: 'true' })
  expect(performance.now() - from).toBeLessThan(1000)
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.headers.get('cache-control')).toContain('no-store')
  expect(await stream.text()).toMatch(/^(: keep-alive\n\n){2,}$/)
  await quiet.close()
})
