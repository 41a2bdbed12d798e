import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTeam, type Desktop, type Team } from './team.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/identity.md'), 'utf8').replaceAll(/\s+/g, ' ')

let team: Team
let here: Desktop
let there: Desktop
let ahead = 0
beforeAll(async () => {
  // One clock for all, that a test moves.
  team = await openTeam({ clock: () => Date.now() + ahead })
  here = await team.desktop()
  there = await team.desktop()
})
afterAll(() => team.close())

const read = (desktop: Desktop, memory_key: string) => desktop.call('memory.get', { memory_key })

it('a row of one desktop is on another after push and pull, and the docs promise no more [LIM001]', async () => {
  await here.call('memory.set', { memory_key: 'gate', value: 'The gate opens at seven.' })
  expect([(await read(here, 'gate')).provisional, (await read(there, 'gate')).found]).toEqual([true, false])
  await here.sync()
  expect((await read(there, 'gate')).found).toBe(false)
  await team.settle(here, there)
  expect([(await read(here, 'gate')).provisional, await read(there, 'gate')]).toMatchObject([
    false,
    { found: true, value: 'The gate opens at seven.', provisional: false },
  ])
  for (const words of ['eventually consistent', 'no transaction across calls, nor across tables', 'what came before a failure stays'])
    expect(page).toContain(words)
})

it('each host sweeps by itself, and what the server swept is what the others see at their next pull [EXP010]', async () => {
  await here.call('memory.set', { memory_key: 'tea', value: 'Tea is served at four.', ttl_seconds: 600 })
  await team.settle(here, there)
  ahead += 660_000
  // A desktop's own sweep, which nobody else is told of.
  await here.loom.engine.runDueJobs(new Date(Date.now() + ahead))
  const tombstoned = async (desktop: Desktop) =>
    (await desktop.call('memory.list', { status: ['tombstoned'] })).rows.map((row) => row.memory_key)
  expect([await tombstoned(here), await tombstoned(there)]).toEqual([['tea'], []])
  expect((await here.call('sync.status', {})).queued).toBe(0)
  await team.server.loom.engine.runDueJobs(new Date(Date.now() + ahead))
  expect(await tombstoned(there)).toEqual([])
  await team.settle(here, there)
  expect([await tombstoned(here), await tombstoned(there)]).toEqual([['tea'], ['tea']])
  expect(await here.heads()).toEqual(await team.heads())
  expect(await there.heads()).toEqual(await team.heads())
  expect((await here.call('sync.inbox', {})).items).toEqual([])
})
