import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { smallDisk, type SmallDisk } from '../helpers/small-disk.ts'
import { openTeam, until, type Desktop, type Team } from './team.ts'

vi.setConfig({ hookTimeout: 120_000 })

const MOST = 60
/** Too little for the log of the writes below, and enough to be alive. */
const LEFT = 400_000

let disk: SmallDisk
let team: Team
beforeEach(async () => void (disk = await smallDisk(256)))
afterEach(async () => {
  await team.close()
  await disk[Symbol.asyncDispose]()
})

const claim = (): string => randomBytes(15_000).toString('base64')
const write = async (host: Desktop, prefix: string, many: number): Promise<void> => {
  for (let n = 0; n < many; n++) await host.call('memory.set', { memory_key: `${prefix}/${n}`, value: claim() })
}

test('a server whose disk is full takes no push, and loses none: what waits goes when there is room', async () => {
  team = await openTeam({ folder: disk.folder })
  const [one, two] = [await team.desktop(), await team.desktop()]
  await write(one, 'before', 2)
  await team.agree([one, two])
  await write(one, 'full', MOST)
  await disk.fill(LEFT)
  // A change that finds no room is asked for again; where the log finds none, the whole push is refused.
  const round = one.sync().catch((error: unknown) => expect(error).toMatchObject({ code: 'STORAGE_FULL' }))
  await until(() => one.wire.pushes > 1, 60_000).catch(() => undefined)
  const status = await one.call('sync.status', {})
  expect(status).toMatchObject({ quarantined: 0, inbox: 0 })
  expect(status.queued).toBeGreaterThan(0)
  await two.call('memory.set', { memory_key: 'meanwhile', value: 'The lamp is brass.' })
  await disk.makeRoom()
  await round
  await team.agree([one, two])
  expect((await two.call('memory.get', { memory_key: `full/${MOST - 1}` })).found).toBe(true)
})

test('a desktop whose disk is full pulls no part of what comes, and goes on from there when there is room', async () => {
  team = await openTeam()
  const [one, two] = [await team.desktop(), await team.desktop({ engine: { folder: disk.folder } })]
  await write(one, 'before', 2)
  await team.agree([one, two])
  await write(one, 'full', MOST)
  await one.sync()
  await disk.fill(LEFT)
  await expect(two.sync()).rejects.toMatchObject({ code: expect.stringMatching(/STORAGE_FULL|53100/) as string })
  await expect(two.call('memory.set', { memory_key: 'mine', value: claim() })).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  await disk.makeRoom()
  await new Promise((resolve) => setTimeout(resolve, 2500))
  await two.call('memory.set', { memory_key: 'mine', value: 'The lamp is brass.' })
  await team.agree([one, two])
  expect((await one.call('memory.get', { memory_key: 'mine' })).found).toBe(true)
})
