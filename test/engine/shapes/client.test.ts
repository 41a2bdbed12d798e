import { isChangeMessage, isControlMessage } from '@electric-sql/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eraseShapeLogs } from '../../../shared/engine/shapes/erase.ts'
import { follow, openShapeServer, until, type ShapeServer } from './shape-server.ts'

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

describe('the real client', () => {
  test.each([false, true])('follows snapshot, insert, update and delete (events: %s)', async (liveSse) => {
    const ns = `live-${liveSse}`
    await set(ns, 'one', 'The office opens at nine.')
    const { shape, messages, stop } = follow(server.url, await viewer(ns), 'memory', { liveSse })
    expect(await shape.rows).toMatchObject([{ memory_key: 'one', value: '"The office opens at nine."', namespace: ns, tags: [], rev: 1n }])
    await set(ns, 'two', 'Lunch is at noon.')
    await until(() => shape.currentRows.length === 2)
    await set(ns, 'one', 'The office opens at ten.')
    await until(() => shape.currentRows.some((row) => row['value'] === '"The office opens at ten."'))
    await sql`DELETE FROM loom.memory WHERE org = 'acme' AND namespace = ${ns} AND memory_key = 'two'`.execute(server.loom.database.reader)
    await until(() => shape.currentRows.length === 1)
    expect(messages.filter(isChangeMessage).map((message) => message.headers.operation)).toEqual(['insert', 'insert', 'update', 'delete'])
    stop()
  })

  test('goes on from where it was, without a repetition, also when the server was restarted meanwhile', async () => {
    await set('resume', 'one', 'One.')
    const token = await viewer('resume')
    const first = follow(server.url, token, 'memory', { subscribe: false })
    await until(() => first.stream.isUpToDate)
    const { lastOffset: offset, shapeHandle: handle } = first.stream
    first.stop()
    await set('resume', 'two', 'Two.')
    await server.restart()
    await set('resume', 'three', 'Three.')
    const second = follow(server.url, token, 'memory', { offset, handle: handle ?? '' })
    await until(() => second.messages.filter(isChangeMessage).length >= 2 && second.stream.isUpToDate)
    expect(second.messages.filter(isChangeMessage).map((message) => message.value['memory_key'])).toEqual(['two', 'three'])
    expect(second.stream.shapeHandle).toBe(handle)
    second.stop()
  })

  test.each([false, true])('starts over when its handle was ended (events: %s)', async (liveSse) => {
    const ns = `rotate-${liveSse}`
    await set(ns, 'one', 'One.')
    const { shape, stream, messages, stop } = follow(server.url, await viewer(ns), 'memory', { liveSse })
    await shape.rows
    const before = stream.shapeHandle
    await sql`DELETE FROM loom.memory WHERE org = 'acme' AND namespace = ${ns}`.execute(server.loom.database.reader)
    await eraseShapeLogs(server.loom.database, { org: 'acme', namespaces: [ns], user_id: '' })
    await set(ns, 'two', 'Two.')
    await until(() => stream.shapeHandle !== before && shape.currentRows.length === 1 && shape.currentRows[0]?.['memory_key'] === 'two')
    expect(messages.some((message) => isControlMessage(message) && message.headers.control === 'must-refetch')).toBe(true)
    stop()
  })
})
