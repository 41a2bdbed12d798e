import { expect } from 'vitest'
import { InvalidArgument } from '../../shared/client/errors.ts'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** The main promise of each operation, the same on every road. What is particular to one is in its own test file. */

const fact = { memory_key: 'team/lead', value: 'Ada leads the platform team.' } as const
const store = (call: OpCall) => call('memory.set', fact)

onEveryTransport('memory.set', 'stores a claim, and restating it changes nothing', async (call, namespace) => {
  const first = await store(call)
  expect(first).toMatchObject({ namespace, memory_key: fact.memory_key, conflict_verdict: 'clear', status: 'active', noop: false })
  expect(await store(call)).toMatchObject({ noop: true, version: first.version, content_sha256: first.content_sha256 })
})

onEveryTransport('memory.set', 'raises the class and the fields of its error', async (call) => {
  const failure = await call('memory.set', { ...fact, confidence: 2 }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(InvalidArgument)
  expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', status: 422, fields: { field: 'confidence' } })
})

onEveryTransport('memory.set', 'names a changed hash', async (call) => {
  const { content_sha256 } = await store(call)
  const stale = await call('memory.set', { ...fact, value: 'Grace leads it.', if_match_sha256: 'f'.repeat(64) }).catch(
    (error: unknown) => error,
  )
  expect(stale).toMatchObject({ code: 'PRECONDITION_FAILED', current_sha256: content_sha256 })
})

onEveryTransport('memory.get', 'reads what was stored, and says when there is nothing', async (call) => {
  await store(call)
  expect(await call('memory.get', { memory_key: fact.memory_key })).toMatchObject({ found: true, value: fact.value })
  expect(await call('memory.get', { memory_key: 'no/such/key' })).toMatchObject({ found: false, reason: 'not_found' })
})

onEveryTransport('memory.get_by_id', 'reads a row by its id', async (call) => {
  const { memory_id } = await store(call)
  expect(await call('memory.get_by_id', { memory_id })).toMatchObject({ found: true, memory_key: fact.memory_key })
})

onEveryTransport('memory.list', 'lists what is there, page by page', async (call) => {
  await store(call)
  await call('memory.set', { memory_key: 'office/city', value: 'The office is in Lisbon.' })
  const first = await call('memory.list', { limit: 1, sort: 'key' })
  const second = await call('memory.list', { limit: 1, sort: 'key', cursor: first.next_cursor ?? '' })
  expect([...first.rows, ...second.rows].map((row) => row.memory_key)).toEqual(['office/city', fact.memory_key])
  expect(second.next_cursor).toBe(null)
})

onEveryTransport('memory.search', 'finds a claim by other words, and abstains where nothing is near', async (call) => {
  await store(call)
  const { results } = await call('memory.search', { query: 'who is in charge of the platform team?' })
  expect(results[0]).toMatchObject({ memory_key: fact.memory_key })
  expect(await call('memory.search', { query: 'boiling point of tungsten' })).toMatchObject({ results: [], abstain: true })
})

onEveryTransport('memory.history', 'keeps every version, newest first', async (call) => {
  await store(call)
  await call('memory.set', { ...fact, value: 'Grace leads the platform team.' })
  const { rows } = await call('memory.history', { memory_key: fact.memory_key })
  expect(rows.map((row) => row.value)).toEqual(['Grace leads the platform team.', fact.value])
  expect(rows[0]?.version).toBeGreaterThan(rows[1]?.version ?? 0n)
})

onEveryTransport('memory.delete', 'retires a fact', async (call) => {
  await store(call)
  expect(await call('memory.delete', { memory_key: fact.memory_key })).toMatchObject({ found: true, tombstoned: true })
  expect(await call('memory.get', { memory_key: fact.memory_key })).toMatchObject({ found: false, reason: 'deleted' })
})

onEveryTransport('memory.restore', 'brings a deleted fact back', async (call) => {
  await store(call)
  await call('memory.delete', { memory_key: fact.memory_key })
  expect(await call('memory.restore', { memory_key: fact.memory_key })).toMatchObject({ restored: true, from: 'tombstoned' })
  expect(await call('memory.get', { memory_key: fact.memory_key })).toMatchObject({ found: true, value: fact.value })
})

onEveryTransport('memory.pin', 'refuses a later set of another value', async (call) => {
  expect(await call('memory.pin', fact)).toMatchObject({ pinned: true })
  await expect(call('memory.set', { ...fact, value: 'Grace leads it.' })).rejects.toMatchObject({ code: 'PINNED_CONFLICT', status: 409 })
})

onEveryTransport('memory.unpin', 'lets later sets through again', async (call) => {
  await call('memory.pin', fact)
  expect(await call('memory.unpin', { memory_key: fact.memory_key })).toMatchObject({ unpinned: true })
  expect(await call('memory.set', { ...fact, value: 'Grace leads it.' })).toMatchObject({ noop: false, pinned: false })
})

onEveryTransport('memory.lock', 'guards a row, and says who locked it and why', async (call) => {
  await store(call)
  await call('memory.lock', { memory_key: fact.memory_key, reason: 'Under audit.' })
  const refused = await call('memory.set', { ...fact, value: 'Grace leads it.' }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'LOCKED', status: 423, fields: { mode: 'read_only', reason: 'Under audit.' } })
})

onEveryTransport('memory.unlock', 'ends a lock', async (call) => {
  await store(call)
  await call('memory.lock', { memory_key: fact.memory_key, reason: 'Under audit.' })
  expect(await call('memory.unlock', { memory_key: fact.memory_key })).toMatchObject({ unlocked: true, was: { reason: 'Under audit.' } })
  expect(await call('memory.set', { ...fact, value: 'Grace leads it.' })).toMatchObject({ noop: false })
})

onEveryTransport('blacklist.add', 'refuses values that match', async (call) => {
  const { blacklist_id } = await call('blacklist.add', { pattern: 'forbidden phrase', reason: 'Not for memory.' })
  const refused = await call('memory.set', { ...fact, value: 'This holds a forbidden phrase.' }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'BLACKLISTED', status: 422, fields: { blacklist_id, reason: 'Not for memory.' } })
})

onEveryTransport('namespace.register', 'makes a namespace, and keeps what is left out', async (call, namespace) => {
  expect(await call('namespace.register', { description: 'For a test.' })).toMatchObject({ namespace, created: true })
  const again = await call('namespace.register', { conflict_threshold: 0.5 })
  expect(again).toMatchObject({ created: false, settings: { description: 'For a test.', conflict_threshold: 0.5 } })
})

onEveryTransport('namespace.list', 'names the namespaces that hold rows', async (call, namespace) => {
  await store(call)
  const { namespaces } = await call('namespace.list', { limit: 500 })
  expect(namespaces.find((one) => one.namespace === namespace)).toMatchObject({ rows: 1 })
})

onEveryTransport('engine.info', 'says what answers, and who asks', async (call) => {
  const info = await call('engine.info', {})
  expect(info).toMatchObject({ host: 'desktop', mode: 'single', principal: { org: 'dev' }, storage: { kind: 'pglite', durable: true } })
})

onEveryTransport('memory.update', 'corrects a fact wherever it is kept, and keeps the rest', async (call) => {
  await call('memory.set', { ...fact, tags: ['people'] })
  expect(await call('memory.update', { memory_key: fact.memory_key, value: 'Grace leads the platform team.' })).toMatchObject({
    updated: true,
  })
  expect(await call('memory.get', { memory_key: fact.memory_key })).toMatchObject({
    value: 'Grace leads the platform team.',
    tags: ['people'],
  })
  expect(await call('memory.update', { memory_key: 'no/such/key', value: 'x' })).toMatchObject({ updated: false, reason: 'not_found' })
})

onEveryTransport('memory.update_by_id', 'corrects the row that an id names', async (call) => {
  const { memory_id } = await store(call)
  expect(await call('memory.update_by_id', { memory_id, value: 'Grace leads the platform team.' })).toMatchObject({ updated: true })
  expect(await call('memory.get_by_id', { memory_id })).toMatchObject({ value: 'Grace leads the platform team.' })
})
