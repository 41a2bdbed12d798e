import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { ADMIN, AT, openServer, pairDevice, set, type Device } from '../../helpers/push.ts'
import { needs, postgres } from '../../helpers/requirements.ts'

describe('two servers on one Postgres', needs(postgres()), () => {
  let scratch: ScratchDatabase
  let servers: TestEngine[]
  let devices: Device[]
  beforeAll(async () => {
    scratch = await scratchDatabase()
    const open = () => openServer({ models: NO_MODELS, postgresUrl: scratch.url })
    // The first makes the schema, the second finds it.
    servers = [await open(), await open()]
    devices = await Promise.all(servers.map((server, at) => pairDevice(server, `device-${at}`)))
  })
  afterAll(async () => {
    for (const server of servers) await server.close()
    await scratch.drop()
  })

  it('settle what two devices push at the same moment one after another: every value is in the history, under a number of its own', async () => {
    const changes = devices.map((_, device) =>
      Array.from({ length: 40 }, (_, at) =>
        set(`key/${at % 4}`, `Device ${device} said ${at}.`, { recorded_at: new Date(Date.now() - at * 60_000).toISOString() }),
      ),
    )
    const answers = await Promise.all(devices.map((device, at) => device.push(changes[at] ?? [])))
    const results = answers.flatMap(({ results }) => results)
    // Two transactions that wait for each other: one of them is asked for again.
    const again = results.filter(({ outcome }) => outcome === 'retry').length
    expect(results.length - again).toBeGreaterThan(70)
    for (const [at, device] of devices.entries()) for (let turn = 0; turn < 3; turn++) await device.push(changes[at] ?? [])
    for (let at = 0; at < 4; at++) {
      const { rows } = await (servers[0] as TestEngine).call('memory.history', { ...AT, memory_key: `key/${at}`, limit: 200 }, ADMIN)
      const versions = rows.map(({ version }) => version)
      expect(new Set(versions).size).toBe(versions.length)
      const said = new Set(rows.map(({ value }) => value))
      const sent = changes.flat().filter(({ args }) => args['memory_key'] === `key/${at}`)
      for (const { args } of sent) expect(said).toContain(args['value'])
    }
  })

  it('settle one change once, whichever of them it is sent to', async () => {
    const changes = Array.from({ length: 12 }, (_, at) => set(`same/${at}`, `The ${at}th of the same.`))
    const [one, two] = await Promise.all(devices.map((device) => device.push(changes)))
    const pairs = changes.map((_, at) => [one?.results[at], two?.results[at]])
    for (const [a, b] of pairs) {
      expect([a?.replayed, b?.replayed].filter((replayed) => replayed === false)).toHaveLength(1)
      expect(a?.version).toBe(b?.version)
    }
  })

  it('run one push of a device at a time', async () => {
    const [device] = devices as [Device]
    const other = servers[1] as TestEngine
    const changes = Array.from({ length: 20 }, (_, at) => set(`lease/${at}`, `Leased ${at}.`))
    const sent = { erasure_seq: 0, sent_at: new Date().toISOString(), changes }
    const outcomes = await Promise.allSettled([device.push(changes), other.call('sync.push', sent, { claims: device.claims })])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'IN_PROGRESS' } })
  })
})
