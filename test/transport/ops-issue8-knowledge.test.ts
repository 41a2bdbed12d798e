import { expect } from 'vitest'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Documents and conversations: the main promise of each operation, the same on every road. */

const add = (call: OpCall) =>
  call('knowledge.add', { collection: 'runbooks', document_key: 'deploy', text: '# Deploy\nProduction deploys run Tuesday.' })
const at = { collection: 'runbooks', document_key: 'deploy' } as const

onEveryTransport('knowledge.add', 'stores a document once', async (call) => {
  const made = await add(call)
  expect(made).toMatchObject({ created: true, noop: false, sections: [['Deploy']], chunks_written: 1 })
  expect(await add(call)).toMatchObject({ document_id: made.document_id, version: made.version, created: false, noop: true })
  await expect(call('knowledge.add', { ...at, text: 'x', if_match_sha256: 'a'.repeat(64) })).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    status: 409,
  })
})

onEveryTransport('knowledge.get', 'reads it back to the letter', async (call) => {
  await add(call)
  expect(await call('knowledge.get', at)).toMatchObject({
    found: true,
    text: '# Deploy\nProduction deploys run Tuesday.',
    next_offset: null,
  })
  expect(await call('knowledge.get', { document_key: 'none' })).toEqual({ found: false })
})

onEveryTransport('knowledge.list', 'lists it', async (call) => {
  await add(call)
  expect(await call('knowledge.list', { collection: 'runbooks' })).toMatchObject({
    total: 1,
    documents: [{ document_key: 'deploy' }],
    next_cursor: null,
  })
})

onEveryTransport('knowledge.search', 'finds its passage, cited by section and lines', async (call) => {
  await add(call)
  expect((await call('knowledge.search', { query: 'production deploys' })).results[0]).toMatchObject({
    section: ['Deploy'],
    lines: { from: 2, to: 2 },
  })
  await expect(call('knowledge.search', { query: 'x', collections: ['none'] })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
})

onEveryTransport('knowledge.delete', 'deletes it once', async (call) => {
  await add(call)
  expect(await call('knowledge.delete', at)).toEqual({ found: true, deleted: true, chunks_removed: 1 })
  expect(await call('knowledge.delete', at)).toEqual({ found: false, deleted: false, chunks_removed: 0 })
})

onEveryTransport('collection.list', 'tells what each collection holds', async (call) => {
  await add(call)
  expect(await call('collection.list', {})).toMatchObject({
    collections: [{ collection: 'runbooks', documents: 1, chunks: 1 }],
    next_cursor: null,
  })
})

const talk = { thread_id: 't', messages: [{ role: 'user' as const, content: 'The ferry leaves at nine.', message_id: 'm' }] }

onEveryTransport('conversation.append', 'saves a message once', async (call) => {
  expect(await call('conversation.append', talk)).toMatchObject({ created: true, appended: 1, message_ids: ['m'], last_seq: 1 })
  expect(await call('conversation.append', talk)).toMatchObject({ created: false, appended: 0, repeated: 1 })
  const other = { ...talk, messages: [{ role: 'user' as const, content: 'Other.', message_id: 'm' }] }
  await expect(call('conversation.append', other)).rejects.toMatchObject({ code: 'ALREADY_EXISTS', status: 409 })
})

onEveryTransport('conversation.get', 'reads it back', async (call) => {
  await call('conversation.append', talk)
  expect(await call('conversation.get', { thread_id: 't' })).toMatchObject({
    found: true,
    message_count: 1,
    messages: [{ seq: 1, message_id: 'm' }],
  })
})

onEveryTransport('conversation.list', 'lists it', async (call) => {
  await call('conversation.append', talk)
  expect(await call('conversation.list', {})).toMatchObject({ threads: [{ thread_id: 't', messages: 1 }] })
})

onEveryTransport('conversation.search', 'finds a message', async (call) => {
  await call('conversation.append', talk)
  expect((await call('conversation.search', { query: 'ferry' })).results[0]).toMatchObject({ thread_id: 't', message: { message_id: 'm' } })
})

onEveryTransport('conversation.delete', 'deletes it once', async (call) => {
  await call('conversation.append', talk)
  expect(await call('conversation.delete', { thread_id: 't' })).toEqual({ found: true, deleted: 1 })
  expect(await call('conversation.delete', { thread_id: 't' })).toEqual({ found: false, deleted: 0 })
})
