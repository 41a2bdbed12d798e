import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eraseShapeLogs } from '../../../shared/engine/shapes/erase.ts'
import { openShapeServer, type ShapeServer } from './shape-server.ts'

interface Message {
  readonly key?: string
  readonly value?: Record<string, string | null>
  readonly headers: Record<string, unknown>
}

let server: ShapeServer
let admin: string
beforeAll(async () => {
  server = await openShapeServer({ chunkBytes: 4000, longPollMs: 1200 })
  admin = await server.token({ grants: { '*': 'org_admin' } })
})
afterAll(() => server.close())

const set = (namespace: string, key: string, value: string): Promise<Record<string, unknown>> =>
  server.call(admin, 'memory.set', { namespace, agent: 'a', memory_key: key, value, conflict_policy: 'newest_wins' })
const viewer = (namespace: string): Promise<string> => server.token({ grants: { [namespace]: 'viewer' } })

interface Log {
  readonly messages: Message[]
  readonly handle: string
  readonly offset: string
  readonly answers: Response[]
}

/** Everything from a place to where the log ends, request by request. */
async function readAll(token: string, table: string, from = { handle: '', offset: '-1' }): Promise<Log> {
  const messages: Message[] = []
  const answers: Response[] = []
  for (let { offset, handle } = from; ;) {
    const answer = await server.ask(token, { table, offset, ...(handle && { handle }) })
    expect(answer.status).toBe(200)
    answers.push(answer)
    messages.push(...((await answer.clone().json()) as Message[]))
    offset = answer.headers.get('electric-offset') ?? ''
    handle = answer.headers.get('electric-handle') ?? ''
    if (answer.headers.has('electric-up-to-date')) return { messages, handle, offset, answers }
  }
}

describe('the rules of the protocol', () => {
  test('1: offset=-1 ignores the handle, is never up to date, and ends where the snapshot does', async () => {
    for (let at = 0; at < 12; at++) await set('rule1', `k${at}`, `Number ${at} of the list of things that are so.`)
    const token = await viewer('rule1')
    const first = await server.ask(token, { table: 'memory', offset: '-1', handle: 'nobody-knows-this' })
    expect(first.status).toBe(200)
    expect(first.headers.has('electric-up-to-date')).toBe(false)
    expect(first.headers.get('electric-offset')).toBe('0_0')
    const { messages, answers } = await readAll(token, 'memory')
    expect(answers.length).toBeGreaterThan(3)
    expect(answers.slice(0, -1).map((answer) => answer.headers.get('electric-offset'))).toEqual(
      answers.slice(0, -1).map((_, at) => `0_${at}`),
    )
    expect(messages.filter((message) => message.headers['operation'] === 'insert')).toHaveLength(12)
    const end = messages.findIndex((message) => message.headers['control'] === 'snapshot-end')
    expect(messages[end]?.headers).toMatchObject({
      xmin: expect.stringMatching(/^\d+$/) as string,
      xmax: expect.stringMatching(/^\d+$/) as string,
      xip_list: [],
    })
    expect(messages.slice(end + 1)).toMatchObject([{ headers: { control: 'up-to-date' } }])
    await set('rule1', 'later', 'Later.')
    const again = (await (await server.ask(token, { table: 'memory', offset: '-1' })).json()) as Message[]
    expect(again.some((message) => message.value?.['memory_key'] === 'later')).toBe(false)
  })

  test('2: the headers that the client insists on', async () => {
    const token = await viewer('rule2')
    await set('rule2', 'one', 'One.')
    const { handle, offset, answers } = await readAll(token, 'memory')
    for (const answer of answers) {
      expect(answer.headers.get('electric-handle')).toBe(handle)
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
      expect(answer.headers.has('electric-cursor')).toBe(false)
      const schema = JSON.parse(answer.headers.get('electric-schema') ?? '') as Record<string, object>
      expect(schema).toMatchObject({
        memory_id: { type: 'text', pk_index: 1, not_null: true },
        tags: { type: 'text', dims: 1 },
        version: { type: 'int8' },
      })
      expect(schema['value']).toEqual({ type: 'text' })
    }
    const live = await server.ask(token, { table: 'memory', offset, handle, live: 'true' })
    expect(live.headers.get('electric-cursor')).toMatch(/^\d+$/)
    expect(live.headers.has('electric-schema')).toBe(false)
    const next = await server.ask(token, {
      table: 'memory',
      offset,
      handle,
      live: 'true',
      cursor: live.headers.get('electric-cursor') ?? '',
    })
    expect(next.headers.get('electric-cursor')).not.toBe(live.headers.get('electric-cursor'))
  })

  test('3 and 4: numbers of the log grow with transactions, and the last operation of one is marked', async () => {
    const token = await viewer('rule3')
    const start = await readAll(token, 'versions')
    await set('rule3', 'one', 'One.')
    await server.loom.database.transaction(async (tx) => {
      for (const op of ['x', 'y', 'z'])
        await sql`INSERT INTO loom.memory_version (org, namespace, agent, user_id, session_id, memory_key, memory_id, version, op, memory_type, status, actor, source_class, created_at, updated_at)
          VALUES ('acme', 'rule3', 'a', '-', '-', 'k', ${`rule3-${op}`}, 1, ${op}, 'semantic', 'active', 'human:t', 'user', now(), now())`.execute(
          tx,
        )
    })
    const { messages, offset } = await readAll(token, 'versions', start)
    const changes = messages.filter((message) => 'operation' in message.headers)
    expect(changes.map((message) => [message.headers['op_position'], message.headers['last'] ?? false])).toEqual([
      [0, true],
      [0, false],
      [2, false],
      [4, true],
    ])
    const lsns = changes.map((message) => message.headers['lsn'])
    expect(lsns.every((lsn) => typeof lsn === 'string' && /^\d+$/.test(lsn))).toBe(true)
    expect(BigInt(lsns[1] as string)).toBeGreaterThan(BigInt(lsns[0] as string))
    expect(new Set(lsns.slice(1)).size).toBe(1)
    expect(changes.every((message) => Array.isArray(message.headers['txids']))).toBe(true)
    const seen = messages.at(-1)?.headers['global_last_seen_lsn']
    expect(seen).toMatch(/^\d+$/)
    expect(BigInt(seen as string)).toBeGreaterThanOrEqual(BigInt(lsns[3] as string))
    expect(offset).toBe(`${String(lsns[3])}_4`)
  })

  test('5: an update has the key and what changed; a key that changes is deleted and inserted; moves come and go', async () => {
    const token = await viewer('rule5')
    await set('rule5', 'one', 'One.')
    const start = await readAll(token, 'memory')
    const { reader } = server.loom.database
    await sql`UPDATE loom.memory SET pinned = true, rev = rev + 1 WHERE org = 'acme' AND namespace = 'rule5'`.execute(reader)
    const after = async (from: Log): Promise<Log> => {
      const log = await readAll(token, 'memory', from)
      return { ...log, messages: log.messages.filter((message) => 'operation' in message.headers) }
    }
    const updated = await after(start)
    expect(updated.messages).toMatchObject([{ headers: { operation: 'update' } }])
    expect(Object.keys(updated.messages[0]?.value ?? {}).sort()).toEqual(['memory_id', 'org', 'pinned', 'rev'])
    await sql`UPDATE loom.memory SET memory_id = 'rule5-new' WHERE org = 'acme' AND namespace = 'rule5'`.execute(reader)
    const renamed = await after(updated)
    expect(renamed.messages.map((message) => message.headers['operation'])).toEqual(['delete', 'insert'])
    expect(renamed.messages[1]).toMatchObject({
      key: '"loom"."memory"/"acme"/"rule5-new"',
      value: { memory_key: 'one', namespace: 'rule5' },
    })
    await sql`UPDATE loom.memory SET namespace = 'rule5-elsewhere' WHERE org = 'acme' AND memory_id = 'rule5-new'`.execute(reader)
    const left = await after(renamed)
    expect(left.messages).toEqual([
      {
        key: '"loom"."memory"/"acme"/"rule5-new"',
        value: { org: 'acme', memory_id: 'rule5-new' },
        headers: expect.objectContaining({ operation: 'delete' }) as object,
      },
    ])
    await sql`UPDATE loom.memory SET namespace = 'rule5' WHERE org = 'acme' AND memory_id = 'rule5-new'`.execute(reader)
    const back = await after(left)
    expect(back.messages).toMatchObject([{ headers: { operation: 'insert' }, value: { memory_key: 'one', pinned: 'true' } }])
  })

  test('6: a handle that is not the shape’s is 409 with the one that is, and none comes twice', async () => {
    await set('rule6', 'one', 'One.')
    const [token, other] = [await viewer('rule6'), await viewer('rule6-other')]
    const mine = await readAll(token, 'memory')
    const theirs = await readAll(other, 'memory')
    const versions = await readAll(token, 'versions')
    for (const handle of ['unknown', theirs.handle, versions.handle]) {
      const answer = await server.ask(token, { table: 'memory', offset: '0_0', handle })
      expect([answer.status, await answer.json()]).toEqual([409, [{ headers: { control: 'must-refetch' } }]])
      expect(answer.headers.get('electric-handle')).toBe(mine.handle)
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
    }
    const handles = new Set([mine.handle])
    for (let round = 0; round < 5; round++) {
      await eraseShapeLogs(server.loom.database, { org: 'acme', namespaces: ['rule6'], user_id: '' })
      handles.add((await readAll(token, 'memory')).handle)
    }
    expect(handles.size).toBe(6)
    const equal = await readAll(await viewer('rule6'), 'memory')
    expect(handles.has(equal.handle)).toBe(true)
  })

  test('7: an offset ahead of the log waits for half a poll and is then refused', async () => {
    const token = await viewer('rule7')
    await set('rule7', 'one', 'One.')
    const { handle } = await readAll(token, 'memory')
    const from = performance.now()
    const answer = await server.ask(token, { table: 'memory', offset: '999999999999_0', handle })
    expect(performance.now() - from).toBeGreaterThan(550)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { message: 'Invalid request', errors: { offset: ['out of bounds for this shape'] } },
    ])
  })

  test('8: an idle poll ends with up-to-date and nothing else; an etag that is sent back is 304', async () => {
    const token = await viewer('rule8')
    await set('rule8', 'one', 'One.')
    const { handle, offset } = await readAll(token, 'memory')
    const from = performance.now()
    const idle = await server.ask(token, { table: 'memory', offset, handle, live: 'true' })
    expect(performance.now() - from).toBeGreaterThan(1100)
    expect(idle.status).toBe(200)
    expect(await idle.json()).toMatchObject([{ headers: { control: 'up-to-date' } }])
    expect(idle.headers.get('electric-offset')).toBe(offset)
    const part = await server.ask(token, { table: 'memory', offset: '0_0', handle })
    const tag = part.headers.get('etag') ?? ''
    expect(tag).toBe(`"${handle}:0_0:${part.headers.get('electric-offset')}"`)
    const same = await server.ask(token, { table: 'memory', offset: '0_0', handle }, { 'if-none-match': `"x", ${tag}` })
    expect([same.status, await same.text(), same.headers.get('electric-handle')]).toEqual([304, '', handle])
    await set('rule8', 'two', 'Two.')
    expect((await server.ask(token, { table: 'memory', offset: '0_0', handle }, { 'if-none-match': tag })).status).toBe(200)
  })

  test('9: nobody deletes a shape over this address', async () => {
    const token = await viewer('rule9')
    const { handle } = await readAll(token, 'memory')
    const answer = await fetch(`${server.url}?table=memory&handle=${handle}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET')
    expect((await readAll(token, 'memory')).handle).toBe(handle)
  })

  test('10: what is written while a snapshot is taken comes once, in it or after it', async () => {
    const token = await viewer('rule10')
    const writing = Array.from({ length: 20 }, async (_, at) => {
      await sleep(at * 3)
      await set('rule10', `k${at}`, `Number ${at} is written meanwhile.`)
    })
    await sleep(20)
    const start = await readAll(token, 'memory')
    await Promise.all(writing)
    const rest = await readAll(token, 'memory', start)
    const changes = [...start.messages, ...rest.messages].filter((message) => 'operation' in message.headers)
    expect(new Set(changes.map((message) => message.headers['operation']))).toEqual(new Set(['insert']))
    const inserted = changes.map((message) => message.key)
    expect(inserted).toHaveLength(20)
    expect(new Set(inserted).size).toBe(20)
  })

  test('what a request lacks is refused in the protocol’s own form', async () => {
    const token = await viewer('form')
    for (const [query, errors] of [
      [{ table: 'memory' }, { offset: ["can't be blank"] }],
      [{ table: 'memory', offset: 'x' }, { offset: ['has invalid format'] }],
      [{ table: 'memory', offset: '0_0' }, { handle: ["can't be blank when offset != -1"] }],
      [{ table: 'memory', offset: '-1', live: 'true' }, { live: ["can't be true when offset == -1"] }],
      [{ table: 'memory', offset: '0_0', handle: 'h', live_sse: 'true' }, { live_sse: ["can't be true unless live is also true"] }],
      [{ offset: '-1' }, { table: ["can't be blank"] }],
    ] as const) {
      const answer = await server.ask(token, query)
      expect([answer.status, await answer.json()]).toEqual([400, { message: 'Invalid request', errors }])
    }
    const unknown = await server.ask(token, { table: 'auth_token', offset: '-1' })
    expect(unknown.status).toBe(400)
    expect(((await unknown.json()) as { errors: { table: string[] } }).errors.table[0]).toContain('auth_token does not exist')
    const now = await server.ask(token, { table: 'memory', offset: 'now' })
    expect(await now.json()).toMatchObject([{ headers: { control: 'up-to-date' } }])
  })
})
