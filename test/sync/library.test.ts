import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestEngine } from '../helpers/engine.ts'
import { makePdf } from '../helpers/pdf.ts'
import { openTeam, type Desktop, type Team } from './team.ts'

let team: Team
let one: Desktop
let two: Desktop
beforeAll(async () => {
  team = await openTeam()
  one = await team.desktop({ subject: 'one' })
  two = await team.desktop({ subject: 'two' })
})
afterAll(() => team.close())

/** What every host must agree on: documents with the chunks that each cuts by itself, threads and their messages. */
async function held(loom: TestEngine): Promise<unknown> {
  const { reader } = loom.database
  const documents = await sql`SELECT document_id, document_key, title, text, version, content_sha256, tombstoned_at IS NULL AS live
    FROM loom.knowledge_document WHERE org = 'acme' ORDER BY document_id`.execute(reader)
  const chunks =
    await sql`SELECT c.document_id, c.chunk_index, c.section, c.page, c.line_from, c.text, c.sensitivity FROM loom.knowledge_chunk c
    WHERE c.org = 'acme' ORDER BY c.document_id, c.chunk_index`.execute(reader)
  const threads =
    await sql`SELECT thread_id, user_id, title, messages, last_seq, tombstoned_at IS NULL AS live FROM loom.conversation_thread
    WHERE org = 'acme' ORDER BY thread_id`.execute(reader)
  const messages = await sql`SELECT thread_id, message_id, seq, role, content, sensitivity FROM loom.conversation_message
    WHERE org = 'acme' AND tombstoned_at IS NULL ORDER BY thread_id, seq`.execute(reader)
  return { documents: documents.rows, chunks: chunks.rows, threads: threads.rows, messages: messages.rows }
}

const agree = () => team.agree([one, two], held)

const cut = (): void => [one, two].forEach(({ wire }) => void (wire.mode = 'cut'))
const open = (): void => [one, two].forEach(({ wire }) => void (wire.mode = 'open'))

it('brings documents to the server and to other desktops, which cut and search them by themselves', async () => {
  cut()
  const pdf = makePdf({ pages: ['Cover', 'Valves are checked in March.'], outline: [{ title: 'Checks', page: 2 }] })
  const made = await one.call('knowledge.add', { document_key: 'boiler', content_base64: Buffer.from(pdf).toString('base64') })
  await one.call('knowledge.add', { document_key: 'deploy', text: '# Deploy\nRun on Monday.' })
  await one.call('knowledge.add', { document_key: 'deploy', text: '# Deploy\nRun on Tuesday.' })
  expect((await one.call('sync.status', {})).queued).toBe(3)
  open()
  await agree()
  expect((await one.call('sync.status', {})).queued).toBe(0)
  expect((await one.call('sync.inbox', {})).items).toEqual([])
  const { results } = await two.call('knowledge.search', { query: 'valves checked' })
  expect(results[0]).toMatchObject({ document_id: made.document_id, section: ['Checks'], page: 2 })
  expect((await two.call('knowledge.get', { document_key: 'deploy' })).text).toBe('# Deploy\nRun on Tuesday.')
  // The file itself stays on the server, and is fetched when somebody wants it.
  const original = () => two.call('knowledge.get', { document_id: made.document_id, include: 'original' })
  expect((await original()).content_base64).toBe(Buffer.from(pdf).toString('base64'))
  two.wire.mode = 'cut'
  expect((await original()).content_base64).toBeNull()
  two.wire.mode = 'open'
})

it('refuses a document that changed on the server meanwhile, and shows the server’s', async () => {
  cut()
  await one.call('knowledge.add', { document_key: 'deploy', text: '# Deploy\nOne says Wednesday.' })
  await two.call('knowledge.add', { document_key: 'deploy', text: '# Deploy\nTwo says Thursday.' })
  open()
  await one.sync()
  await agree()
  expect((await two.call('knowledge.get', { document_key: 'deploy' })).text).toBe('# Deploy\nOne says Wednesday.')
  expect((await two.call('knowledge.search', { query: 'Thursday' })).results).toEqual([])
  expect((await two.call('sync.inbox', {})).items).toMatchObject([{ change: 'reverted', op: 'knowledge.add', code: 'PRECONDITION_FAILED' }])
})

it('deletes on every host', async () => {
  await two.call('knowledge.delete', { document_key: 'boiler' })
  await agree()
  expect((await one.call('knowledge.search', { query: 'valves checked' })).results).toEqual([])
})

it('appends what several devices said, each message once, and deletes alike', async () => {
  cut()
  const say = (content: string, message_id?: string) => ({ role: 'user' as const, content, ...(message_id && { message_id }) })
  await one.call('conversation.append', { thread_id: 't', title: 'Talk', messages: [say('One was here.', 'a'), say('And stays.')] })
  await two.call('conversation.append', { thread_id: 't', messages: [say('Two was here.', 'b')] })
  open()
  await agree()
  const read = await two.call('conversation.get', { thread_id: 't' })
  expect(read.messages.map((message) => message.seq)).toEqual([1, 2, 3])
  expect((await one.call('conversation.search', { query: 'Two was here' })).results[0]).toMatchObject({
    thread_id: 't',
    message: { message_id: 'b' },
  })
  await one.call('conversation.delete', { thread_id: 't', message_ids: ['b'] })
  await agree()
  expect((await two.call('conversation.get', { thread_id: 't' })).message_count).toBe(2)
  await two.call('conversation.delete', { thread_id: 't' })
  await agree()
  expect((await one.call('conversation.get', { thread_id: 't' })).found).toBe(false)
})
