import { afterEach, describe, expect, it } from 'vitest'
import type { WebhookConfig } from '../../../shared/engine/webhooks/config.ts'
import { status } from '../../helpers/receiver.ts'
import { NAME, openTeam, SECRET, type Team } from '../../helpers/webhooks.ts'

const HOUR_S = 3600
const DAY_S = 86_400

let team: Team
afterEach(() => team.close())
const open = async (webhooks: Partial<WebhookConfig> = {}): Promise<void> => {
  team = await openTeam(webhooks)
}

/** Moves the clock to when the one event is due, and runs the pass; answers the seconds waited. */
async function attempt(): Promise<number> {
  const [event] = await team.outcomes()
  const wait = Date.parse(event?.next_attempt_at ?? '') - team.clock.now
  await team.pass(Math.max(wait / 1000, 0))
  return wait / 1000
}

describe('waits', () => {
  it('are 5, 30, 120, 600 and 1800 s, then an hour; attempt 60 is the last, after about 2.28 days [WHK110, WHK112, CFG010, CFG011, CFG012]', async () => {
    await open({ failuresBeforeCooldown: 1_000_000 })
    await team.hook()
    team.receiver.answer = status(500)
    const began = team.clock.now
    await team.set('k', 'A value.')
    await team.pass(0)
    const waits: number[] = []
    for (let n = 2; n <= 60; n++) waits.push(await attempt())
    expect(waits.slice(0, 5)).toEqual([5, 30, 120, 600, 1800])
    expect(new Set(waits.slice(5))).toEqual(new Set([3600]))
    expect((await team.outcomes())[0]).toMatchObject({
      state: 'dead',
      attempts: 60,
      last_status: 500,
      last_error: '',
      next_attempt_at: null,
    })
    expect((team.clock.now - began) / DAY_S / 1000).toBeCloseTo(2.28, 2)
    await team.pass(HOUR_S)
    expect(team.receiver.received).toHaveLength(60)
  })

  it('are capped by the maximum, the first ones too; steps and the number of attempts are settings [WHK111, CFG010, CFG011, CFG012]', async () => {
    await open({ failuresBeforeCooldown: 1000, maxBackoff: 60, backoffSteps: [7, 90], maxAttempts: 4 })
    await team.hook()
    team.receiver.answer = status(500)
    await team.set('k', 'A value.')
    await team.pass(0)
    expect([await attempt(), await attempt(), await attempt()]).toEqual([7, 60, 60])
    expect((await team.outcomes())[0]).toMatchObject({ state: 'dead', attempts: 4 })
  })
})

describe('an event of 2.75 days', () => {
  it('is dead, whether the receiver was down or its turn never came [WHK113]', async () => {
    await open({ postsPerWebhook: 1, failuresBeforeCooldown: 1000 })
    await team.hook()
    team.receiver.answer = status(500)
    for (const n of [1, 2]) {
      await team.set(`k${n}`, `Value ${n}.`)
      team.clock.now += 1
    }
    await team.pass()
    expect((await team.outcomes()).map(({ attempts }) => attempts)).toEqual([1, 0])
    await team.pass(2.75 * DAY_S - 6)
    expect((await team.outcomes()).map(({ state }) => state)).toEqual(['pending', 'pending'])
    await team.pass(30)
    expect((await team.outcomes()).map(({ state, last_error }) => `${state}: ${last_error}`)).toEqual(
      Array<string>(2).fill('dead: not delivered in time'),
    )
    team.receiver.answer = status(204)
    const posts = team.receiver.received.length
    await team.pass(60)
    expect(team.receiver.received).toHaveLength(posts)
  })
})

describe('without a usable secret', () => {
  it.each([undefined, '', 'whsec_', 'whsec_%%', 'whsec_YWJ'])(
    '(%s) events wait, without an attempt, and are dead after 2.5 days [WHK130, WHK131]',
    async (value) => {
      await open()
      team.secrets[NAME] = value
      const id = await team.hook()
      await team.hook('/other', { secret_ref: `${NAME}2` })
      team.secrets[`${NAME}2`] = SECRET
      await team.set('k', 'A value.')
      await team.pass()
      await team.pass(2.5 * DAY_S - 6)
      expect(await team.outcomes({ webhook_id: id })).toMatchObject([{ state: 'pending', attempts: 0, last_error: '' }])
      await team.pass(30)
      expect(await team.outcomes({ webhook_id: id })).toMatchObject([
        { state: 'dead', attempts: 0, last_status: null, last_error: 'no usable secret' },
      ])
      expect(team.receiver.events().map(({ type }) => type)).toEqual(['memory.written'])
      expect(team.receiver.received[0]?.path).toBe('/other')
    },
  )

  it('they go out once it is set [WHK130]', async () => {
    await open()
    team.secrets[NAME] = undefined
    await team.hook()
    await team.set('k', 'A value.')
    await team.pass()
    team.secrets[NAME] = SECRET
    await team.pass()
    expect(await team.outcomes()).toMatchObject([{ state: 'delivered', attempts: 1 }])
  })
})
