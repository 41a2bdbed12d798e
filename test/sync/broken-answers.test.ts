import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { badProxy, type BadProxy, type Fault } from '../helpers/bad-proxy.ts'
import { openTeam, until, type Desktop, type Team } from './team.ts'

let team: Team
let proxy: BadProxy
/** Behind the proxy. */
let far: Desktop
let near: Desktop
beforeAll(async () => {
  team = await openTeam()
  proxy = await badProxy(team.server.url.replace('/v1/shape', ''))
  near = await team.desktop({ subject: 'near' })
  far = await team.desktop({ subject: 'far', connect: false })
  const { code } = await team.code()
  await far.call('sync.connect', { server_url: proxy.url, code, use_namespace: 'chat' })
})
afterAll(async () => {
  await team.close()
  await proxy[Symbol.asyncDispose]()
})

const FAULTS: readonly Fault[] = ['breaks', 'half', 'bad gateway', 'bad gateway after']
const SHAPE = /^\/v1\/shape\?/
const set = (host: Desktop, memory_key: string) => host.call('memory.set', { memory_key, value: `The ${memory_key} is brass.` })

/** Versions of each key on the server. */
async function historyOf(prefix: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ key: string; n: number }>`SELECT memory_key AS key, count(*)::int AS n FROM loom.memory_version
    WHERE org = 'acme' AND starts_with(memory_key, ${prefix}) GROUP BY 1 ORDER BY 1`.execute(team.server.loom.database.reader)
  return Object.fromEntries(rows.map(({ key, n }) => [key, n]))
}

describe.each(FAULTS)('an answer that %s', (fault) => {
  const name = fault.replaceAll(' ', '-')

  test('to a push leaves the queue as it was; sent again, nothing is there twice', async () => {
    const keys = [1, 2, 3].map((n) => `${name}/lamp ${n}`)
    for (const key of keys) await set(far, key)
    // A line that was cut is asked again at once: the server may have let go of it long ago.
    proxy.spoil(/^\/v1\/sync\.push/, fault, fault === 'breaks' ? 2 : 1)
    await expect(far.sync()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await far.call('sync.status', {})).toMatchObject({ state: 'offline', queued: 3, quarantined: 0, error: { code: 'UNAVAILABLE' } })
    proxy.heal()
    await team.agree([far, near])
    expect(await historyOf(name)).toEqual(Object.fromEntries(keys.map((key) => [key, 1])))
    expect((await far.call('sync.inbox', {})).items).toEqual([])
  })

  test('to any request for a shape skips and repeats nothing', async () => {
    const before = proxy.spoiled
    // Each answer of a round is spoiled in its turn: that of the first shape, of the second, and so on.
    for (const table of ['erasures', 'memory', 'versions', 'links', 'messages']) {
      await set(near, `${name}/clock ${table}`)
      await near.sync()
      proxy.spoil(SHAPE, fault)
      await far.sync().catch((error: unknown) => expect(error).toMatchObject({ code: 'UNAVAILABLE' }))
      proxy.spoil(new RegExp(`[?&]table=${table}(&|$)`), fault)
      await far.sync().catch((error: unknown) => expect(error).toMatchObject({ code: 'UNAVAILABLE' }))
      proxy.heal()
    }
    expect(proxy.spoiled).toBeGreaterThan(before + 2)
    await team.agree([far, near])
  })
})

test('one who follows tries again by itself after each, and has what came meanwhile', async () => {
  far.loom.engine.sync?.start()
  await until(async () => (await far.call('sync.status', {})).state === 'idle')
  for (const fault of FAULTS) {
    // A fault in the middle of coming back would lengthen the wait.
    await until(async () => (await far.call('sync.status', {})).state === 'idle', 30_000)
    proxy.spoil(SHAPE, fault, 2)
    await set(near, `live/${fault}`)
    await near.sync()
    const has = async () => (await far.call('memory.get', { memory_key: `live/${fault}` })).found
    await until(has, 30_000)
    proxy.heal()
  }
  await far.loom.engine.sync?.stop()
  await team.agree([far, near])
})

test('a snapshot that breaks off again and again is gathered in the end, and is then what the server has', async () => {
  for (let n = 0; n < 40; n++)
    await team.server.call(team.admin, 'memory.set', {
      namespace: 'chat',
      agent: 'default',
      memory_key: `many/${n}`,
      value: `Shelf ${n} holds ${'paper '.repeat(n)}.`,
    })
  const before = proxy.spoiled
  for (const [at, fault] of FAULTS.entries()) {
    await sql`UPDATE loom.shape_state SET handle = '', shape_offset = '-1', up_to_date = false WHERE org = 'acme'`.execute(
      far.loom.database.reader,
    )
    proxy.spoil(/[?&]table=memory(&|$)/, fault)
    // The client asks once more by itself where something else answered.
    await far.sync().catch((error: unknown) => expect(error).toMatchObject({ code: 'UNAVAILABLE' }))
    expect(proxy.spoiled).toBe(before + 1 + at)
  }
  proxy.heal()
  await team.agree([far, near])
})
