import { expect } from 'vitest'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Erasures: the main promise of each operation, the same on every road. [API009] */

const namespace = (call: OpCall) =>
  call('memory.set', { agent: 'scribe', memory_key: 'tea', value: `Drinks tea since ${performance.now()}.` })
const scope = (name: string) => ({ scope_type: 'namespace', scope_value: name, requester: 'dpo@acme.example' }) as const

onEveryTransport('erasure.request', 'erases a namespace, and says what it did', async (call) => {
  const { namespace: name } = await namespace(call)
  expect(await call('erasure.request', scope(name))).toMatchObject({ status: 'completed', purge: false, residue: {}, failure_reason: '' })
  expect((await call('memory.get', { agent: 'scribe', memory_key: 'tea' })).found).toBe(false)
  await expect(call('erasure.request', { ...scope(name), scope_value: '-' })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    status: 422,
  })
})

onEveryTransport('erasure.status', 'tells of a saga by its id, and of none where there is none', async (call) => {
  const { namespace: name } = await namespace(call)
  const { erasure_id } = await call('erasure.request', scope(name))
  expect(await call('erasure.status', { erasure_id })).toMatchObject({
    found: true,
    status: 'completed',
    current_step: 99,
    scope_value: name,
  })
  expect(await call('erasure.status', { erasure_id: 'er_none' })).toMatchObject({ found: false, census: null })
})

onEveryTransport('erasure.list', 'lists the newest first', async (call) => {
  const { namespace: name } = await namespace(call)
  const { erasure_id } = await call('erasure.request', scope(name))
  expect((await call('erasure.list', { limit: 1 })).rows).toMatchObject([{ erasure_id, scope_value: name, attempts: 1 }])
})

onEveryTransport('erasure.preview', 'counts what would go, and changes nothing', async (call) => {
  const { namespace: name } = await namespace(call)
  expect((await call('erasure.preview', { scope_type: 'namespace', scope_value: name })).counts).toMatchObject({
    'pg:memory': 1,
    'pg:run': 0,
  })
  expect((await call('memory.get', { agent: 'scribe', memory_key: 'tea' })).found).toBe(true)
})

onEveryTransport('erasure.export', 'hands out the rows of a namespace', async (call) => {
  const { namespace: name } = await namespace(call)
  const told = await call('erasure.export', scope(name))
  expect(told.memory.rows).toMatchObject([{ memory_key: 'tea', namespace: name }])
  expect(told.counts).toMatchObject({ memory: 1, knowledge: 0 })
})

onEveryTransport('erasure.receipt', 'is for devices alone', async (call) => {
  const receipt = {
    erasure_id: 'er_none', seq: 1, device_id: 'dev_none', purge: false, rows_affected: 0, queue_dropped: 0, census: {},
    applied_at: '2026-09-20T12:00:00.000Z', app_version: '1.0.0', signature: 'A',
  } // prettier-ignore
  await expect(call('erasure.receipt', { receipt })).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })
})

onEveryTransport('collection.delete', 'erases one collection, and says that there is none', async (call) => {
  await call('knowledge.add', { agent: 'scribe', collection: 'old', document_key: 'a', text: `# A\n\nWritten at ${performance.now()}.` })
  expect(await call('collection.delete', { collection: 'old' })).toMatchObject({ status: 'completed', residue: {} })
  expect((await call('collection.list', {})).collections).toEqual([])
  await expect(call('collection.delete', { collection: 'never' })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
})
