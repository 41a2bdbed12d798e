import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTeam, type Desktop, type Team } from './team.ts'

let team: Team
let desktop: Desktop
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-leaving-'))
  team = await openTeam()
  desktop = await team.desktop({ subject: 'alice', engine: { folder } })
}, 180_000)
afterAll(async () => {
  await team.close()
  await rm(folder, { recursive: true, force: true })
})
const originals = async () =>
  (await readdir(join(folder, 'objects'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** Rows of the team's org on the desktop, by table. What was done stays in the audit, without values, and the number of its last erasure in `org`. */
async function left(): Promise<Record<string, number>> {
  const { reader } = desktop.loom.database
  const { rows: tables } = await sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.columns
    WHERE table_schema = 'loom' AND column_name = 'org' ORDER BY table_name`.execute(reader)
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    if (name.startsWith('audit') || name === 'org') continue
    const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.table(`loom.${name}`)} WHERE org = 'acme'`.execute(
      reader,
    )
    if (rows[0]?.n) counts[name] = rows[0].n
  }
  return counts
}

test('whoever leaves a team and keeps nothing has no row of it in any table, and no original', async () => {
  await desktop.call('memory.set', { agent: 'a', memory_key: 'oven', value: 'The oven takes nine minutes.' })
  await desktop.call('memory.promote', { agent: 'a', memory_key: 'oven' })
  const file = Buffer.from('# Deploy\nRun on Monday.').toString('base64')
  await desktop.call('knowledge.add', { agent: 'a', document_key: 'deploy', content_base64: file })
  await desktop.call('conversation.append', { agent: 'a', thread_id: 'tea', messages: [{ role: 'user', content: 'I like green tea.' }] })
  await desktop.call('run.start', { agent: 'a', run_id: 'r1' })
  await desktop.call('run.event', { agent: 'a', run_id: 'r1', events: [{ kind: 'note', summary: 'It began.' }] })
  await desktop.call('memory_schema.propose', { schema: 'ticket', fields: [{ name: 'number', type: 'string', identity: true }] })
  await desktop.call('memory_schema.approve', { schema: 'ticket', decision: 'approve', version: 1 })
  await desktop.call('memory.record.write', { agent: 'a', schema: 'ticket', fields: { number: 'INV-1' } })
  await team.settle(desktop)
  await desktop.loom.engine.runDueJobs(new Date(Date.now() + 86_400_000))
  expect((await desktop.call('knowledge.search', { query: 'Monday' })).results).toHaveLength(1)
  expect(Object.keys(await left())).toEqual(expect.arrayContaining(['conversation_message', 'knowledge_chunk', 'memory_shelf', 'run']))
  expect(await originals()).toHaveLength(1)
  await desktop.call('sync.disconnect', { keep_rows: false, discard_queue: true })
  expect(await left()).toEqual({})
  expect(await originals()).toEqual([])
})
