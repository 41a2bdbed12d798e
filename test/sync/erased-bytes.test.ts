import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesOf, filesWith } from '../helpers/raw-files.ts'
import { seedUser } from '../ops/erasure/seed.ts'
import { openTeam, type Desktop, type Team } from './team.ts'

const CANARY = 'Quokka4417'
/** Written by a desktop, and never pushed. */
const UNSENT = 'Numbat9032'

let folder: string
let team: Team
let desktop: Desktop
/** A key that a client chose for its repeats stays for a day, without the answer: here it holds the word as well. */
const inServer = async () => {
  const kept = await filesOf(team.server.loom.database, 'idempotency')
  return (await filesWith(join(folder, 'server'), [CANARY, UNSENT])).filter((line) => !kept.some((file) => line.startsWith(`pg/${file}:`)))
}
const inDesktop = () => filesWith(join(folder, 'desktop'), [CANARY, UNSENT])

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-bytes-'))
  team = await openTeam({ folder: join(folder, 'server') })
  desktop = await team.desktop({ engine: { folder: join(folder, 'desktop') } })
}, 120_000)
afterAll(async () => {
  await team.close()
  await rm(folder, { recursive: true, force: true })
})

test('[ERA044] [ERA046] after a purge that a team asked for, no byte of it is in the files of the server or of a desktop: tables, indexes, logs of changes and of the database', async () => {
  await seedUser(team.server.loom, 'chat', 'u-1', CANARY)
  const at = { namespace: 'chat', agent: 'scribe', user_id: 'u-1' }
  await desktop.sync()
  await desktop.call('memory.set', { ...at, memory_key: `${CANARY}/tea`, value: `${CANARY} drinks mint tea.` })
  await desktop.call('memory.search', { ...at, query: `What does ${CANARY} drink?` })
  await desktop.sync()
  await desktop.call('memory.set', { ...at, memory_key: 'unsent', value: `${UNSENT} was never told.` })
  await desktop.call('memory.set', { namespace: 'chat', agent: 'scribe', user_id: 'u-2', memory_key: 'tea', value: 'Bilby drinks coffee.' })
  // As long as it is there, it is found: the search sees these files.
  expect((await inServer()).join()).toMatch(/pg_wal|base/)
  expect((await inDesktop()).join()).toContain(UNSENT)

  const request = { org: 'acme', scope_type: 'user_id', scope_value: 'u-1', requester: 'dpo@acme.example', purge: true }
  expect(await team.server.call(team.admin, 'erasure.request', request)).toMatchObject({ status: 'completed', residue_count: 0 })
  expect(await inServer()).toEqual([])
  await desktop.sync()
  expect(await inDesktop()).toEqual([])
  // Nor does anything come back, nor is anything else gone.
  await team.settle(desktop)
  expect([await inServer(), await inDesktop()]).toEqual([[], []])
  expect((await desktop.call('memory.get', { namespace: 'chat', agent: 'scribe', user_id: 'u-2', memory_key: 'tea' })).found).toBe(true)
  const list = (await team.server.call(team.admin, 'erasure.list', { org: 'acme' })) as { rows: { devices_pending: number }[] }
  expect(list.rows[0]?.devices_pending).toBe(0)
})
