import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { openChatServer, type ChatServer } from '../../helpers/chat-server.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

let chat: ChatServer
let loom: TestEngine
beforeAll(async () => {
  chat = await openChatServer()
  const llm = { url: chat.url, model: 'small', apiKey: '', timeoutMs: 5_000 }
  loom = await openTestEngine({ models: NO_MODELS, config: { llm } })
  await loom.call('memory_schema.register', {
    schema: 'invoice',
    fields: [
      { name: 'number', type: 'string', identity: true, required: true },
      { name: 'amount', type: 'number', min_value: 0 },
      { name: 'paid', type: 'boolean' },
      { name: 'state', type: 'string', enum_values: ['open', 'closed'] },
    ],
  })
})
afterAll(async () => {
  await loom.close()
  await chat[Symbol.asyncDispose]()
})

const messages = [{ role: 'user' as const, content: 'Invoice INV-2024/001 over 99.50 euros is still open.' }]
const extract = (more: Partial<CallInputOf<'memory.set_from_messages'>> = {}) =>
  loom.call('memory.set_from_messages', { messages, record_schema: 'invoice', memory_key: 'inv-1', llm_cache: false, ...more })
const answers = (fields: object, supported?: number[]): void =>
  void (chat.reply = ({ user }) =>
    'facts' in user ? { supported: supported ?? (user['facts'] as unknown[]).map((_one, n) => n) } : { fields })
const records = async () => (await loom.call('memory.record.query', { schema: 'invoice' })).records

describe('memory.set_from_messages with record_schema', () => {
  it('extracts exactly one record, under the key given [EXT004]', async () => {
    answers({ number: 'INV-2024/001', amount: 99.5, state: 'open', paid: null, note: 'not in the schema' })
    const answer = await extract({ run_id: 'r1' })
    expect(answer).toMatchObject({ written: [], refused: [], segments: 1, record: { record_key: 'inv-1', status: 'active' } })
    expect(chat.asked[0]?.user['fields']).toMatchObject([{ name: 'number', identity: true }, { name: 'amount' }, {}, {}])
    const found = await records()
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      record_key: 'inv-1',
      fields: { number: { value: 'INV-2024/001' }, amount: { value: 99.5 }, state: { value: 'open' } },
      source_class: 'derived',
      run_id: 'r1',
    })
    expect(found[0]?.version).toBe(answer.record?.version)
    expect((await loom.call('memory.list', {})).rows).toEqual([])
  })

  it('obeys the constraints of memory.record.write, and keeps what is not supported out [REC034]', async () => {
    answers({ number: 'INV-2', state: 'lost' })
    expect(await extract({ memory_key: 'inv-2' })).toMatchObject({ record: null, refused: [{ memory_key: 'inv-2', reason: 'schema' }] })
    answers({ amount: 1, state: 'open' })
    expect(await extract({ memory_key: 'inv-3' })).toMatchObject({ record: null, refused: [{ reason: 'schema' }] })
    answers({ amount: 'ninety-nine' })
    expect(await extract()).toMatchObject({ record: null, refused: [{ reason: 'schema' }] })
    answers({ amount: 7, state: 'closed' }, [1])
    expect((await extract()).record?.status).toBe('active')
    expect((await records())[0]?.fields).toMatchObject({ amount: { value: 99.5 }, state: { value: 'closed' } })
    expect(await records()).toHaveLength(1)
  })

  it('never sets a field back to the value that was rejected', async () => {
    await loom.call('memory.record.write', {
      schema: 'invoice',
      record_key: 'inv-1',
      fields: { amount: { state: 'rejected', value: 99.5 } },
    })
    answers({ amount: 99.5 })
    expect((await extract()).record).toBe(null)
    expect((await records())[0]?.fields['amount']?.state).toBe('rejected')
    answers({ amount: 89.5 })
    expect((await extract()).record?.record_key).toBe('inv-1')
  })

  it('needs a schema that is there, and a model that answers in its form', async () => {
    await expect(extract({ record_schema: 'ticket' })).rejects.toMatchObject({ code: 'NOT_FOUND', fields: { field: 'record_schema' } })
    chat.reply = () => ({ fields: ['number'] })
    expect(await extract({ memory_key: 'inv-9' })).toMatchObject({ record: null, degraded: expect.arrayContaining(['llm']) })
    answers({})
    expect(await extract({ memory_key: 'inv-9' })).toMatchObject({ record: null, refused: [] })
  })
})
