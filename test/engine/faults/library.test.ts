import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breakEverywhere, loseTheAnswer } from './break-everywhere.ts'
import { openFaultyEngine, type FaultyEngine, type Space } from './space.ts'
import type { WriteCase } from './write-cases.ts'

const add = (space: Space, text: string, key?: string) => space.call('knowledge.add', { document_key: 'guide', text }, key)
const say = (space: Space, message_id: string, key?: string, sensitivity?: 'high') =>
  space.call(
    'conversation.append',
    { thread_id: 't', ...(sensitivity && { sensitivity }), messages: [{ role: 'user', content: `I am ${message_id}.`, message_id }] },
    key,
  )

const CASES: readonly WriteCase[] = [
  {
    name: 'knowledge.add of a new document',
    run: (space, key) => add(space, '# Pump\nIt is greased weekly.', key),
    changes: ['knowledge_document', 'knowledge_chunk', 'knowledge_embedding', 'audit'],
  },
  {
    name: 'knowledge.add in place of another',
    before: (space) => add(space, '# Pump\nIt is greased weekly.\n# Fan\nIt is dusted.'),
    run: (space, key) => add(space, '# Pump\nIt is greased daily.', key),
    changes: ['knowledge_document', 'knowledge_chunk', 'knowledge_embedding', 'audit'],
  },
  {
    name: 'knowledge.delete',
    before: (space) => add(space, 'Short.'),
    run: (space, key) => space.call('knowledge.delete', { document_key: 'guide' }, key),
    changes: ['knowledge_document', 'audit'],
  },
  {
    name: 'conversation.append to a thread whose level it raises',
    before: (space) => say(space, 'a'),
    run: (space, key) => say(space, 'b', key, 'high'),
    changes: ['conversation_thread', 'conversation_message'],
  },
  {
    name: 'conversation.delete',
    before: (space) => say(space, 'a'),
    run: (space, key) => space.call('conversation.delete', { thread_id: 't' }, key),
    changes: ['conversation_thread', 'conversation_message', 'audit'],
  },
]

let engine: FaultyEngine
beforeAll(async () => {
  engine = await openFaultyEngine()
})
afterAll(() => engine.close())

describe('a fault at any statement leaves a document or thread whole, or as it was', { timeout: 120_000 }, () => {
  test.each(CASES.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await breakEverywhere(engine, one)
  })
})

describe('a commit whose answer is lost is told to who asks again', () => {
  test.each(CASES.map((one) => [one.name, one] as const))('%s', (_, one) => loseTheAnswer(engine, one))

  test('and the document still has its original', async () => {
    let space: Space | null = null
    await loseTheAnswer(engine, { name: 'an original', run: (own, key) => add((space = own), 'Its own words.', key) })
    const read = await (space as Space | null)?.call('knowledge.get', { document_key: 'guide', include: 'original' })
    expect(Buffer.from(read?.content_base64 ?? '', 'base64').toString()).toBe('Its own words.')
  })
})
