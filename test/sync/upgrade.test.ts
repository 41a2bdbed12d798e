import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTeam, type Desktop, type Team } from './team.ts'

const PLACE = { org: 'acme', namespace: 'chat', agent: 'a' } as const
/** Tables that came after the first release that could join a team. */
const LATER = [
  'memory_shelf',
  'memory_record_version',
  'memory_schema',
  'knowledge_document',
  'conversation_thread',
  'conversation_message',
  'memory_summary',
  'learning_review',
  'run',
]

let team: Team
let desktop: Desktop
beforeAll(async () => {
  team = await openTeam()
  desktop = await team.desktop({ subject: 'alice' })
  await desktop.call('memory.set', { ...PLACE, memory_key: 'oven', value: 'The oven takes nine minutes.' })
  await desktop.sync()
}, 180_000)
afterAll(() => team.close())

const triggers = async (): Promise<string[]> =>
  (
    await sql<{
      trigger: string
    }>`SELECT concat_ws(' ', t.oid, c.relname, t.tgname) AS trigger FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE t.tgname IN ('keep_base', 'mark_provisional') ORDER BY c.relname, t.tgname`.execute(desktop.loom.database.reader)
  ).rows.map((row) => row.trigger)

/** As a release before these tables left it: no trigger on them, and nothing that says what the others were made of. */
async function joinedBefore(): Promise<void> {
  const { reader } = desktop.loom.database
  for (const table of LATER) await sql.raw(`DROP TRIGGER keep_base ON loom.${table}; DROP FUNCTION loom.keep_${table}()`).execute(reader)
  await sql
    .raw('DROP TRIGGER mark_provisional ON loom.memory_record_version; DROP FUNCTION loom.mark_memory_record_version()')
    .execute(reader)
  for (const table of ['memory', 'memory_version']) await sql.raw(`COMMENT ON TRIGGER keep_base ON loom.${table} IS NULL`).execute(reader)
}

test('a desktop that joined before an update sends what it writes to the tables that came with it', async () => {
  const all = (await triggers()).length
  await joinedBefore()
  await desktop.restart()
  desktop.wire.mode = 'cut'
  await desktop.call('memory.promote', { ...PLACE, memory_key: 'oven' })
  const fields = [{ name: 'number', type: 'string', identity: true, required: true } as const]
  await desktop.call('memory_schema.propose', { ...PLACE, schema: 'ticket', fields })
  await desktop.call('memory_schema.approve', { ...PLACE, schema: 'ticket', decision: 'approve', version: 1 })
  await desktop.call('memory.record.write', { ...PLACE, schema: 'ticket', fields: { number: 'INV-1' } })
  await desktop.call('knowledge.add', { ...PLACE, document_key: 'deploy', text: 'Run on Monday.' })
  await desktop.call('conversation.append', { ...PLACE, thread_id: 'tea', messages: [{ role: 'user', content: 'I like green tea.' }] })
  expect(await desktop.call('sync.status', {})).toMatchObject({ queued: 6 })
  expect(await triggers()).toHaveLength(all)
  desktop.wire.mode = 'open'
  await team.settle(desktop)
  expect(await desktop.call('sync.status', {})).toMatchObject({ queued: 0, quarantined: 0, inbox: 0 })
  const server = (op: Parameters<Team['server']['call']>[1], input: object) => team.server.call(team.admin, op, { ...PLACE, ...input })
  expect(await server('memory.get', { agent: 'b', memory_key: 'oven' })).toMatchObject({ source: 'shared' })
  expect(await server('memory.record.get', { schema: 'ticket', record_key: 'ticket/inv1' })).toMatchObject({ found: true })
  expect(await server('knowledge.get', { document_key: 'deploy' })).toMatchObject({ text: 'Run on Monday.' })
  expect(await server('conversation.get', { thread_id: 'tea' })).toMatchObject({ message_count: 1 })
})

test('an ordinary start leaves the triggers as they stand', async () => {
  const before = await triggers()
  await desktop.restart()
  expect(await triggers()).toEqual(before)
})
