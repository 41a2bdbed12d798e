import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

const say = (content: string, more = {}) => ({ role: 'user' as const, content, ...more })
const contents = (messages: readonly { readonly content: string }[]): string[] => messages.map((message) => message.content)

describe('conversation.append', () => {
  test('[WHK065] saves messages in the order of the call, as no memory row, unaudited', async () => {
    const before = await countStores(loom.database)
    const made = await loom.call('conversation.append', {
      thread_id: 't1',
      title: 'Tea',
      metadata: { room: 4 },
      messages: [
        say('I like green tea.', { message_id: 'm1', at: '2026-01-02T00:00:00Z' }),
        { role: 'assistant', content: 'Noted.', name: 'Loom', at: '2026-01-01T00:00:00Z' },
      ],
    })
    expect(made).toMatchObject({ thread_id: 't1', created: true, appended: 2, repeated: 0, last_seq: 2 })
    expect(made.message_ids[0]).toBe('m1')
    expect(await countStores(loom.database)).toEqual(before)
    const read = await loom.call('conversation.get', { thread_id: 't1' })
    expect(read).toMatchObject({ found: true, title: 'Tea', metadata: { room: 4 }, message_count: 2, first_at: '2026-01-01T00:00:00.000Z' })
    expect(read.messages.map(({ seq, role, name, content }) => ({ seq, role, name, content }))).toEqual([
      { seq: 1, role: 'user', name: '', content: 'I like green tea.' },
      { seq: 2, role: 'assistant', name: 'Loom', content: 'Noted.' },
    ])
  })

  test('a message of the same id is one message; another under that id is refused, and nothing is stored', async () => {
    const again = await loom.call('conversation.append', {
      thread_id: 't1',
      messages: [say('I like green tea.', { message_id: 'm1' }), say('And cake.')],
    })
    expect(again).toMatchObject({ created: false, appended: 1, repeated: 1, last_seq: 3 })
    const other = [say('New.'), say('Changed.', { message_id: 'm1' })]
    const error = await refused(loom.call('conversation.append', { thread_id: 't1', messages: other }), 'ALREADY_EXISTS')
    expect(error.fields).toMatchObject({ field: 'messages[1]' })
    await refused(
      loom.call('conversation.append', { thread_id: 't1', messages: [say('a', { message_id: 'x' }), say('b', { message_id: 'x' })] }),
      'ALREADY_EXISTS',
    )
    expect((await loom.call('conversation.get', { thread_id: 't1' })).message_count).toBe(3)
  })

  test('names its thread by the session, and a new one where there is none', async () => {
    const named = { session_id: 's-9', messages: [say('Hello.')] }
    expect(await loom.call('conversation.append', named)).toMatchObject({ thread_id: 's-9' })
    const ids = await Promise.all([1, 2].map(async () => (await loom.call('conversation.append', { messages: [say('Hi.')] })).thread_id))
    expect(new Set(ids).size).toBe(2)
    expect(await loom.call('conversation.append', { thread_id: 'empty', messages: [] })).toMatchObject({
      created: true,
      appended: 0,
      last_seq: 0,
    })
  })

  test('two calls at once append one after the other', async () => {
    const both = await Promise.all(
      ['a', 'b'].map((word) => loom.call('conversation.append', { thread_id: 'race', messages: [say(word), say(word)] })),
    )
    expect(new Set(both.map((one) => one.last_seq))).toEqual(new Set([2, 4]))
    const { messages } = await loom.call('conversation.get', { thread_id: 'race' })
    expect(messages.map((message) => message.seq)).toEqual([1, 2, 3, 4])
  })

  test.each([
    ['NUL', [say('a\0b')]],
    ['a lone surrogate', [say('a\udc00')]],
    ['nothing said', [say('')]],
    ['another role', [{ role: 'robot', content: 'x' }]],
  ])('refuses %s', async (_what, messages) => {
    await refused(loom.call('conversation.append', { thread_id: 'bad', messages: messages as never }), 'INVALID_ARGUMENT')
    expect((await loom.call('conversation.get', { thread_id: 'bad' })).found).toBe(false)
  })
})

describe('sensitivity', () => {
  test('is detected of each message; what is high is kept, and not found', async () => {
    await loom.call('conversation.append', {
      thread_id: 'keys',
      messages: [say('Mail me at ada@example.org.'), say('My password is hunter2secret.'), say('The turbine is loud.')],
    })
    const { messages } = await loom.call('conversation.get', { thread_id: 'keys' })
    expect(messages.map((message) => message.sensitivity)).toEqual(['medium', 'high', ''])
    expect((await loom.call('conversation.search', { query: 'password hunter2secret' })).results).toEqual([])
    const { results } = await loom.call('conversation.search', { query: 'loud turbine', context: 2 })
    expect(contents(results[0]?.before ?? [])).toEqual(['Mail me at ada@example.org.'])
  })

  test('of a message is the higher of its own and its thread’s, also when that changes', async () => {
    await loom.call('conversation.append', { thread_id: 'secret', messages: [say('We meet at the heron pond.')] })
    expect((await loom.call('conversation.search', { query: 'heron pond' })).results).toHaveLength(1)
    await loom.call('conversation.append', {
      thread_id: 'secret',
      sensitivity: 'high',
      messages: [say('And bring the map.', { sensitivity: 'low' })],
    })
    const { messages, sensitivity } = await loom.call('conversation.get', { thread_id: 'secret' })
    expect([sensitivity, ...messages.map((message) => message.sensitivity)]).toEqual(['high', 'high', 'high'])
    expect((await loom.call('conversation.search', { query: 'heron pond' })).results).toEqual([])
    await loom.call('conversation.append', { thread_id: 'secret', sensitivity: '', messages: [] })
    const lowered = await loom.call('conversation.get', { thread_id: 'secret' })
    expect(lowered.messages.map((message) => message.sensitivity)).toEqual(['', 'low'])
  })
})

describe('conversation.get and list', () => {
  test('page both ways, and list the last message first', async () => {
    await loom.call('conversation.append', {
      thread_id: 'long',
      run_id: 'r-1',
      messages: Array.from({ length: 5 }, (_, at) => say(`turn ${at}`)),
    })
    const first = await loom.call('conversation.get', { thread_id: 'long', limit: 2, order: 'desc' })
    expect(contents(first.messages)).toEqual(['turn 4', 'turn 3'])
    const next = await loom.call('conversation.get', { thread_id: 'long', limit: 2, order: 'desc', cursor: first.next_cursor ?? '' })
    expect(contents(next.messages)).toEqual(['turn 2', 'turn 1'])
    expect(contents((await loom.call('conversation.get', { thread_id: 'long', after_seq: 3 })).messages)).toEqual(['turn 3', 'turn 4'])
    const page = await loom.call('conversation.list', { limit: 1 })
    expect(page.threads.map((thread) => thread.thread_id)).toEqual(['long'])
    const rest = await loom.call('conversation.list', { cursor: page.next_cursor ?? '' })
    expect(rest.threads.map((thread) => thread.thread_id)).not.toContain('long')
    expect((await loom.call('conversation.list', { run_id: 'r-1' })).threads).toHaveLength(1)
    expect((await loom.call('conversation.list', { until: '2026-01-03T00:00:00Z' })).threads.map((one) => one.thread_id)).toEqual([])
    await refused(loom.call('conversation.get', { thread_id: 'long', cursor: 'x' }), 'INVALID_CURSOR')
  })

  test('of several users are told apart, and hidden from a token bound to another', async () => {
    for (const user_id of ['ada', 'bob'])
      await loom.call('conversation.append', { user_id, thread_id: 'same', messages: [say(`I am ${user_id}, and I keep newts.`)] })
    await refused(loom.call('conversation.get', { thread_id: 'same' }), 'AMBIGUOUS_KEY')
    const ada = { claims: { ...localClaims('process', 'bot'), user_id: 'ada' } }
    expect(contents((await loom.call('conversation.get', { thread_id: 'same' }, ada)).messages)).toEqual(['I am ada, and I keep newts.'])
    expect((await loom.call('conversation.list', {}, ada)).threads).toHaveLength(1)
    const { results } = await loom.call('conversation.search', { query: 'who keeps newts' }, ada)
    expect(results.map((hit) => hit.message.content)).toEqual(['I am ada, and I keep newts.'])
  })
})

describe('conversation.search', () => {
  test('finds by words at once, by meaning after the job, with the turns around', async () => {
    await loom.call('conversation.append', {
      thread_id: 'trip',
      title: 'Trip',
      messages: [
        say('Where shall we go?'),
        { role: 'assistant', content: 'The ferry to the island leaves at nine.' },
        say('Perfect, book it.'),
      ],
    })
    const [hit] = (await loom.call('conversation.search', { query: 'island ferry' })).results
    expect(hit).toMatchObject({ thread_id: 'trip', title: 'Trip', message: { seq: 2, role: 'assistant' } })
    expect([contents(hit?.before ?? []), contents(hit?.after ?? [])]).toEqual([['Where shall we go?'], ['Perfect, book it.']])
    await loom.engine.runDueJobs(new Date(Date.now() + 3_600_000))
    const near = await loom.call('conversation.search', { query: 'boat departure time', thread_id: 'trip' })
    expect(near.results[0]?.message.seq).toBe(2)
    expect(near.results[0]?.why.join()).toContain('meaning')
    expect(
      (await loom.call('conversation.search', { query: 'island ferry', role: 'user' })).results.map((one) => one.message.role),
    ).not.toContain('assistant')
    expect(await loom.call('conversation.search', { query: 'island ferry', until: '2020-01-01' })).toMatchObject({
      results: [],
      abstain: true,
    })
  })
})

describe('conversation.delete', () => {
  test('deletes messages and threads; the sequence of the others stays, and goes on', async () => {
    const { message_ids } = await loom.call('conversation.append', {
      thread_id: 'del',
      messages: [say('one'), say('two wombats'), say('three')],
    })
    expect(await loom.call('conversation.delete', { thread_id: 'del', message_ids: [message_ids[1] ?? '', 'nobody'] })).toEqual({
      found: true,
      deleted: 1,
    })
    expect((await loom.call('conversation.get', { thread_id: 'del' })).messages.map((message) => message.seq)).toEqual([1, 3])
    expect((await loom.call('conversation.search', { query: 'wombats' })).results).toEqual([])
    expect(await loom.call('conversation.delete', { thread_id: 'del' })).toEqual({ found: true, deleted: 2 })
    expect(await loom.call('conversation.delete', { thread_id: 'del' })).toEqual({ found: false, deleted: 0 })
    const again = await loom.call('conversation.append', {
      thread_id: 'del',
      messages: [say('one more', { message_id: message_ids[0] ?? '' })],
    })
    expect(again).toMatchObject({ created: true, appended: 1, last_seq: 4 })
    expect(await loom.call('conversation.get', { thread_id: 'del' })).toMatchObject({ message_count: 1, title: '' })
    const { rows } = await loom.call('audit.list', { limit: 200 })
    expect(rows.filter((row) => row.subject.endsWith('/del')).map((row) => row.op)).toEqual(['conversation.delete', 'conversation.delete'])
  })
})
