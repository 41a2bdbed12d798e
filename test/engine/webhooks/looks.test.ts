import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { DEFAULT_WEBHOOKS, type WebhookConfig } from '../../../shared/engine/webhooks/config.ts'
import { ADMIN } from '../../helpers/push.ts'
import { status } from '../../helpers/receiver.ts'
import { openTeam, queued, type Team } from '../../helpers/webhooks.ts'

const HOUR_S = 3600

let team: Team
afterEach(() => team.close())
const open = async (webhooks: Partial<WebhookConfig> = {}): Promise<void> => {
  team = await openTeam(webhooks)
}

describe('a cooldown', () => {
  const posts = (path = '/a') => team.receiver.received.filter((one) => one.path === path).length

  it('begins with the fifth failure in a row, before the next POST of the same pass, and doubles from a minute to an hour [WHK119, WHK120, WHK121, CFG016, CFG017, CFG018]', async () => {
    await open()
    await team.hook()
    await team.hook('/b')
    team.receiver.answer = (received, response) => status(received.path === '/a' ? 500 : 204)(received, response)
    for (let n = 0; n < 10; n++) await team.set(`k${n}`, `Value ${n}.`)
    await team.pass()
    expect([posts('/a'), posts('/b')]).toEqual([5, 10])
    const lengths: number[] = []
    for (let run = 0; run < 8; run++) {
      const before = posts()
      const began = team.clock.now
      const expected = Math.min(60 * 2 ** run, 3600)
      await team.pass(expected - 5)
      expect(posts()).toBe(before)
      await team.pass(5)
      lengths.push(Math.round((team.clock.now - began) / 1000))
      expect(posts()).toBe(before + 1)
    }
    expect(lengths).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600])
  })

  it('ends with a 2xx, after which it takes five failures again; lengths are settings [WHK122, CFG016, CFG017, CFG018]', async () => {
    await open({ failuresBeforeCooldown: 2, cooldown: 10, maxCooldown: 15, backoffSteps: [], maxBackoff: 1 })
    await team.hook()
    let code = 500
    team.receiver.answer = (received, response) => status(code)(received, response)
    for (let n = 0; n < 6; n++) await team.set(`k${n}`, `Value ${n}.`)
    await team.pass()
    expect(posts()).toBe(2)
    await team.pass(5)
    expect(posts()).toBe(2)
    code = 204
    team.receiver.answer = (received, response) => {
      status(code)(received, response)
      code = 500
    }
    await team.pass(5)
    // One success, then two failures begin a cooldown of the first length.
    expect(posts()).toBe(5)
    await team.pass(5)
    expect(posts()).toBe(5)
    await team.pass(5)
    expect(posts()).toBe(6)
    // The second in a row is longer, and capped.
    await team.pass(5)
    await team.pass(5)
    expect(posts()).toBe(6)
    await team.pass(5)
    expect(posts()).toBe(7)
  })
})

describe('what a pass looks at before it sends', () => {
  it('a removed webhook: its events are dead in the next pass of the window, and stay pending after it [WHK087, WHK133, WHK134, CFG021]', async () => {
    await open()
    expect(DEFAULT_WEBHOOKS.removalWindowLeases * 150).toBe(30 * 60)
    for (const [path, wait] of [
      ['/soon', 29 * 60],
      ['/late', 31 * 60],
    ] as const) {
      const id = await team.hook(path)
      for (let n = 0; n < 5; n++) await team.set(`${path}/${n}`, `Value ${n} of ${path}.`)
      await team.loom.call('webhook.remove', { namespace: 'chat', webhook_id: id }, ADMIN)
      await team.pass(wait)
      await team.pass(60)
      const outcomes = await team.outcomes({ webhook_id: id })
      expect(outcomes.map(({ state, last_error }) => [state, last_error])).toEqual(
        Array(5).fill(path === '/soon' ? ['dead', 'webhook removed'] : ['pending', '']),
      )
    }
    expect(team.receiver.received).toEqual([])
  })

  it('one removed in the middle of a pass gets no further POST [WHK087, WHK132]', async () => {
    await open()
    const id = await team.hook()
    for (let n = 0; n < 5; n++) await team.set(`k${n}`, `Value ${n}.`)
    team.receiver.answer = async (received, response) => {
      if (team.receiver.received.length === 2) await team.loom.call('webhook.remove', { namespace: 'chat', webhook_id: id }, ADMIN)
      status(204)(received, response)
    }
    await team.pass()
    expect(team.receiver.received).toHaveLength(2)
    expect((await team.outcomes({ webhook_id: id })).map(({ state }) => state).toSorted()).toEqual([
      'dead',
      'dead',
      'dead',
      'delivered',
      'delivered',
    ])
  })

  it('an erased memory: its event is dead instead of sent, be it erased before the pass or in it [WHK136]', async () => {
    await open()
    await team.hook()
    const rows: { memory_id: string }[] = []
    for (const n of [1, 2, 3]) rows.push(await team.set(`k${n}`, `Value ${n}.`))
    const db = team.loom.database.reader
    await db
      .updateTable('memory_version')
      .set({ erased_by: 'e-1' })
      .where('memory_id', '=', rows[0]?.memory_id ?? '')
      .execute()
    team.receiver.answer = async (received, response) => {
      await db
        .deleteFrom('memory_version')
        .where('memory_id', '=', rows[2]?.memory_id ?? '')
        .execute()
      status(204)(received, response)
    }
    await team.pass()
    expect(team.receiver.events().map(({ memory_key }) => memory_key)).toEqual(['k2'])
    expect((await team.outcomes()).map(({ state, last_error }) => `${state} ${last_error}`).toSorted()).toEqual([
      'dead memory erased',
      'dead memory erased',
      'delivered ',
    ])
  })
})

describe('webhook.deliveries', () => {
  it('lists the last 3 days, newest first, by page, webhook and state; a day leaves both tables when its youngest is 3 days old [WHK088, WHK089, WHK145, WHK147]', async () => {
    await open()
    const id = await team.hook()
    const tables = async () => {
      const { rows } = await sql<{ outbox: number; delivery: number; webhooks: number }>`SELECT
        (SELECT count(*)::int FROM loom.memory_webhook_outbox) AS outbox, (SELECT count(*)::int FROM loom.memory_webhook_delivery) AS delivery,
        (SELECT count(*)::int FROM loom.webhook) AS webhooks`.execute(team.loom.database.reader)
      return rows[0]
    }
    await team.set('early', 'At noon.')
    team.clock.now += 11 * HOUR_S * 1000
    await team.set('late', 'At eleven in the night.')
    team.receiver.answer = (received, response) => status(received.body.includes('"late"') ? 500 : 204)(received, response)
    await team.pass()
    const all = await team.outcomes()
    expect(all.map(({ state, last_status }) => [state, last_status])).toEqual([
      ['delivered', 204],
      ['pending', 500],
    ])
    expect(Object.keys(all[0] ?? {})).toEqual([
      'event_id', 'webhook_id', 'type', 'state', 'attempts', 'last_status', 'last_error', 'occurred_at', 'last_attempt_at', 'next_attempt_at', 'delivered_at',
    ]) // prettier-ignore
    expect(await team.outcomes({ state: 'delivered' })).toEqual([all[0]])
    const page = await team.loom.call('webhook.deliveries', { namespace: 'chat', limit: 1 }, ADMIN)
    expect(page.rows).toEqual([all[1]])
    expect(
      (await team.loom.call('webhook.deliveries', { namespace: 'chat', limit: 1, cursor: page.next_cursor ?? '' }, ADMIN)).rows,
    ).toEqual([all[0]])
    await expect(team.outcomes({ webhook_id: 'unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(team.outcomes({ cursor: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    const { rows: columns } = await sql<{ name: string }>`SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = 'loom' AND table_name = 'memory_webhook_delivery'`.execute(team.loom.database.reader)
    expect(columns.map(({ name }) => name).toSorted()).toEqual(
      [
        'org',
        'webhook_id',
        'event_id',
        'namespace',
        'type',
        'state',
        'attempts',
        'last_status',
        'last_error',
        'occurred_at',
        'last_attempt_at',
        'delivered_at',
      ].toSorted(),
    )
    await team.loom.call('webhook.remove', { namespace: 'chat', webhook_id: id }, ADMIN)
    // Three days after noon the early one is listed no more, and both are still there.
    team.clock.now = Date.UTC(2026, 8, 23, 12, 30)
    await team.pass()
    expect((await team.outcomes({ webhook_id: id })).map(({ event_id }) => event_id)).toEqual([all[1]?.event_id])
    expect(await tables()).toEqual({ outbox: 2, delivery: 2, webhooks: 1 })
    team.clock.now = Date.UTC(2026, 8, 23, 23, 30)
    await team.pass()
    expect(await tables()).toEqual({ outbox: 0, delivery: 0, webhooks: 0 })
    await expect(team.outcomes({ webhook_id: id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await queued(team)).toEqual([])
  })
})
