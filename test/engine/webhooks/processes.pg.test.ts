import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { takeDue } from '../../../shared/engine/store/webhook-outbox.ts'
import { DEFAULT_WEBHOOKS } from '../../../shared/engine/webhooks/config.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { ADMIN } from '../../helpers/push.ts'
import { openReceiver, status, type Receiver } from '../../helpers/receiver.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { CHAT, NAME, SECRET } from '../../helpers/webhooks.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

describe('server processes on one Postgres', needs(postgres()), () => {
  let scratch: ScratchDatabase
  let receiver: Receiver
  let engines: readonly [TestEngine, TestEngine]
  let now = Date.UTC(2026, 8, 20, 12)
  const open = () =>
    openTestEngine({
      postgresUrl: scratch.url,
      models: NO_MODELS,
      host: 'server',
      mode: 'multi',
      clock: () => now,
      config: {
        rates: UNLIMITED,
        webhooks: {
          ...DEFAULT_WEBHOOKS,
          allowHttp: true,
          privateHosts: ['hooks.test'],
          maxPerNamespace: 2,
          postsPerWebhook: 50,
          concurrency: 8,
        },
      },
      webhooks: { secretOf: (name) => (name === NAME ? SECRET : undefined), resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
    })
  beforeAll(async () => {
    scratch = await scratchDatabase()
    receiver = await openReceiver()
    engines = [await open(), await open()]
  })
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()))
    await receiver.close()
    await scratch.drop()
  })

  const register = (engine: TestEngine, namespace: string, path: string) =>
    engine.call('webhook.register', { namespace, url: `http://hooks.test:${receiver.port}${path}`, secret_ref: NAME }, ADMIN)
  const set = (engine: TestEngine, namespace: string, key: string, value = `Value of ${key}.`) =>
    engine.call('memory.set', { ...CHAT, namespace, memory_key: key, value }, ADMIN)
  const events = async (namespace: string) => (await engines[0].call('webhook.deliveries', { namespace, limit: 500 }, ADMIN)).rows
  const pass = (engine: TestEngine) => engine.engine.runDueJobs(new Date(now))

  test('a registration is in force at once where it was made, and within the refresh time elsewhere [WHK144, CFG022]', async () => {
    const [here, there] = engines
    for (const [at, engine] of engines.entries()) await set(engine, 'refreshed', `before/${at}`)
    await register(here, 'refreshed', '/refreshed')
    await set(here, 'refreshed', 'here')
    await set(there, 'refreshed', 'there/stale')
    expect(await events('refreshed')).toHaveLength(1)
    now += DEFAULT_WEBHOOKS.refresh * 1000 - 1
    await set(there, 'refreshed', 'there/still-stale')
    expect(await events('refreshed')).toHaveLength(1)
    now += 1
    await set(there, 'refreshed', 'there/fresh')
    expect(await events('refreshed')).toHaveLength(2)
  })

  test('registrations at one moment may pass the cap, and of one URL be two; each can be removed [WHK083]', async () => {
    await register(engines[0], 'racing', '/first')
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, n) => register(engines[n % 2 === 0 ? 0 : 1], 'racing', '/same').catch((error: unknown) => error)),
    )
    for (const one of made) if (one instanceof Error) expect(one).toMatchObject({ code: 'INVALID_ARGUMENT', fields: { limit: 2 } })
    const { webhooks } = await engines[1].call('webhook.list', { namespace: 'racing' }, ADMIN)
    expect(webhooks.length).toBeGreaterThanOrEqual(2)
    for (const { webhook_id } of webhooks)
      expect(await engines[0].call('webhook.remove', { namespace: 'racing', webhook_id }, ADMIN)).toMatchObject({ removed: true })
  })

  test('that pass at one moment send every event once', async () => {
    await register(engines[0], 'once', '/once')
    now += 20_000
    const keys = Array.from({ length: 30 }, (_, n) => `k${n}`)
    for (const key of keys) await set(engines[0], 'once', key)
    now += 5000
    receiver.received.length = 0
    receiver.answer = (received, response) => void setTimeout(() => status(204)(received, response), 10)
    await Promise.all([...engines, ...engines].map(pass))
    while ((await events('once')).some(({ state }) => state === 'pending')) {
      now += 5000
      await Promise.all([...engines, ...engines].map(pass))
    }
    const sent = receiver.received
      .filter(({ path }) => path === '/once')
      .map(({ body }) => (JSON.parse(body) as { memory_key: string }).memory_key)
    expect(sent.toSorted()).toEqual(keys.toSorted())
  })

  test('that take due events at one moment take none twice, lease or no lease of the worker', async () => {
    await register(engines[0], 'taken', '/taken')
    now += 20_000
    for (let n = 0; n < 40; n++) await set(engines[n % 2 === 0 ? 0 : 1], 'taken', `k${n}`)
    const at = new Date(now)
    const take = (engine: TestEngine, n: number) =>
      takeDue(engine.database, { now: at, until: new Date(now + 150_000 + n), perWebhook: 100, most: 100, skipped: [] })
    const taken = (await Promise.all([0, 1, 2, 3, 4, 5].map((n) => take(engines[n % 2 === 0 ? 0 : 1], n)))).flat()
    expect(taken.length).toBe(40)
    expect(new Set(taken.map(({ event_id }) => event_id)).size).toBe(40)
  })

  test('each keep their own cooldowns: another one, or one that was started anew, sends at once [WHK123]', async () => {
    now += 200_000
    receiver.answer = status(204)
    await pass(engines[0])
    now += 5000
    await pass(engines[0])
    const namespace = 'cooling'
    await register(engines[0], namespace, '/cooling')
    for (let n = 0; n < 8; n++) await set(engines[0], namespace, `k${n}`)
    receiver.answer = status(500)
    const posts = () => receiver.received.filter(({ path }) => path === '/cooling').length
    now += 5000
    await pass(engines[0])
    expect(posts()).toBe(5)
    now += 10_000
    await pass(engines[0])
    expect(posts()).toBe(5)
    const fresh = await open()
    try {
      now += 5000
      await pass(fresh)
      expect(posts()).toBeGreaterThan(5)
    } finally {
      await fresh.close()
    }
  })
})
