import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { DEFAULT_WEBHOOKS, type WebhookConfig } from '../../../shared/engine/webhooks/config.ts'
import { postTime } from '../../../shared/engine/webhooks/pass.ts'
import { ADMIN } from '../../helpers/push.ts'
import { status, type Received } from '../../helpers/receiver.ts'
import { openTeam, type Team } from '../../helpers/webhooks.ts'

let team: Team
afterEach(() => team.close())
const open = async (webhooks: Partial<WebhookConfig> = {}): Promise<void> => {
  team = await openTeam({ maxPerNamespace: 100, ...webhooks })
}
const after =
  (ms: number): ((received: Received, response: ServerResponse) => void) =>
  (_received, response) =>
    void setTimeout(() => response.writeHead(204).end(), ms)
const counts = (): Record<string, number> => {
  const byPath: Record<string, number> = {}
  for (const { path } of team.receiver.received) byPath[path] = (byPath[path] ?? 0) + 1
  return byPath
}
/** Webhooks of one namespace, each with so many events, a millisecond apart. */
async function webhooks(count: number, events: number): Promise<void> {
  for (let w = 0; w < count; w++) await team.hook(`/w${w}`)
  for (let e = 0; e < events; e++) {
    team.clock.now += 1
    await team.set(`k${e}`, `Value number ${e}.`)
  }
}

describe('a pass', () => {
  it('sends every webhook’s oldest event, then every webhook’s second, and so on [WHK114, WHK118]', async () => {
    await open({ concurrency: 1 })
    await webhooks(5, 3)
    await team.pass()
    const order = team.receiver.received.map(({ path, body }) => `${path} ${(JSON.parse(body) as { memory_key: string }).memory_key}`)
    expect(order).toEqual([0, 1, 2].flatMap((e) => [0, 1, 2, 3, 4].map((w) => `/w${w} k${e}`)))
  })

  it('sends at most 10 of one webhook, one after another, and the rest in the next [WHK115, CFG013]', async () => {
    await open()
    await webhooks(1, 12)
    team.receiver.answer = after(5)
    await team.pass()
    expect(counts()).toEqual({ '/w0': 10 })
    expect(team.receiver.peak.ofPath).toBe(1)
    await team.pass(4)
    expect(counts()).toEqual({ '/w0': 10 })
    await team.pass(1)
    expect(counts()).toEqual({ '/w0': 12 })
  })

  it('sends at most 40 in all, and starts again after 5 s while there is work [WHK116, WHK129, CFG014]', async () => {
    await open()
    await webhooks(6, 10)
    await team.pass()
    expect(team.receiver.received).toHaveLength(40)
    expect(counts()).toEqual({ '/w0': 7, '/w1': 7, '/w2': 7, '/w3': 7, '/w4': 6, '/w5': 6 })
    await team.pass(4)
    expect(team.receiver.received).toHaveLength(40)
    await team.pass(1)
    expect(team.receiver.received).toHaveLength(60)
  })

  it('has 4 POSTs at once, one a webhook: a slow receiver holds up one of the four [WHK117, CFG015]', async () => {
    await open()
    await webhooks(8, 5)
    team.receiver.answer = (received, response) => after(received.path === '/w0' ? 300 : 20)(received, response)
    const began = performance.now()
    await team.pass()
    expect(team.receiver.received).toHaveLength(40)
    expect(team.receiver.peak).toEqual({ all: 4, ofPath: 1 })
    // The others were done while the slow one had its five, one after another.
    const last = (path: string) => Math.max(...team.receiver.received.filter((one) => one.path === path).map(({ at }) => at))
    for (let w = 1; w < 8; w++) expect(last(`/w${w}`)).toBeLessThan(last('/w0'))
    expect(performance.now() - began).toBeGreaterThan(1500)
  })

  it('gives each of 39 webhooks its first POST before any its second [WHK118]', async () => {
    await open()
    await webhooks(39, 2)
    await team.pass()
    expect(team.receiver.received).toHaveLength(40)
    expect(Object.values(counts()).toSorted((a, b) => a - b)).toEqual([...Array<number>(38).fill(1), 2])
  })

  it('takes its limits from settings [CFG013, CFG014, CFG015]', async () => {
    await open({ postsPerWebhook: 2, maxPostsPerPass: 5, concurrency: 2 })
    await webhooks(3, 3)
    team.receiver.answer = after(20)
    await team.pass()
    expect(counts()).toEqual({ '/w0': 2, '/w1': 2, '/w2': 1 })
    expect(team.receiver.peak).toEqual({ all: 2, ofPath: 1 })
  })
})

describe('the time of a pass', () => {
  it('is 100 s by default, from the larger of an even share and one webhook’s turn, and ends with the reserve [WHK124, WHK125, CFG009, CFG019, CFG020]', async () => {
    await open()
    expect([DEFAULT_WEBHOOKS.ackTimeout, DEFAULT_WEBHOOKS.reserve, DEFAULT_WEBHOOKS.maxPass]).toEqual([10, 20, 120])
    const time = (more: Partial<WebhookConfig>) => postTime({ ...DEFAULT_WEBHOOKS, maxPass: 100_000, ...more })
    expect(postTime(DEFAULT_WEBHOOKS)).toBe(100_000)
    expect(time({})).toBe(100_000)
    expect(time({ maxPostsPerPass: 80 })).toBe(200_000)
    expect(time({ concurrency: 8 })).toBe(100_000)
    expect(time({ postsPerWebhook: 30 })).toBe(300_000)
    expect(time({ ackTimeout: 3 })).toBe(30_000)
    expect(time({ maxPass: 60 })).toBe(40_000)
    expect(time({ maxPass: 60, reserve: 5 })).toBe(55_000)
  })

  it('counts from its start by the clock: when it is over no POST begins, and what is left goes next time [WHK124, WHK128, WHK129]', async () => {
    await open()
    await webhooks(1, 5)
    team.receiver.answer = (received, response) => {
      team.clock.now += 40_000
      status(204)(received, response)
    }
    await team.pass()
    expect(team.receiver.received).toHaveLength(3)
    await team.pass()
    expect(team.receiver.received).toHaveLength(5)
    expect(new Set(team.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(5)
  })

  it('over, POSTs in flight are cancelled: nothing is recorded, and after the lease the event is sent again under its id [WHK125, WHK126, WHK127]', async () => {
    await open({ maxPass: 1, reserve: 0.5 })
    await webhooks(2, 1)
    team.receiver.answer = (received, response) => (received.path === '/w0' ? undefined : status(204)(received, response))
    const began = performance.now()
    await team.pass()
    expect(performance.now() - began).toBeLessThan(1500)
    const { webhooks: hooks } = await team.loom.call('webhook.list', { namespace: 'chat' }, ADMIN)
    const outcome = async (path: string) =>
      (await team.outcomes({ webhook_id: hooks.find(({ url }) => url.endsWith(path))?.webhook_id ?? '' }))[0]
    expect(await outcome('/w0')).toMatchObject({ state: 'pending', attempts: 0, last_attempt_at: null })
    expect(await outcome('/w1')).toMatchObject({ state: 'delivered' })
    team.receiver.answer = status(204)
    await team.pass(140)
    expect(counts()).toEqual({ '/w0': 1, '/w1': 1 })
    await team.pass(10)
    const sent = team.receiver.received.filter(({ path }) => path === '/w0').map(({ headers }) => headers['webhook-id'])
    expect(sent).toHaveLength(2)
    expect(new Set(sent).size).toBe(1)
    expect(await outcome('/w0')).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  it('that ends with its engine leaves what was answered recorded', async () => {
    await open({ concurrency: 1 })
    await webhooks(2, 1)
    team.receiver.answer = (received, response) => (received.path === '/w1' ? undefined : status(204)(received, response))
    const pass = team.pass()
    while (team.receiver.received.length < 2) await new Promise((done) => setTimeout(done, 5))
    const db = team.loom.database.reader
    const closing = team.loom.engine.close()
    await Promise.all([pass, closing])
    const rows = await db.selectFrom('memory_webhook_delivery').select(['state', 'attempts']).orderBy('webhook_id').execute()
    expect(rows).toEqual([
      { state: 'delivered', attempts: 1 },
      { state: 'pending', attempts: 0 },
    ])
  })
})
