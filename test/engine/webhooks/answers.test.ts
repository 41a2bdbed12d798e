import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ADMIN } from '../../helpers/push.ts'
import { openReceiver, status, type Answer } from '../../helpers/receiver.ts'
import { openTeam, queued, type Team } from '../../helpers/webhooks.ts'

let team: Team
let count = 0
let webhook_id = ''
beforeAll(async () => {
  team = await openTeam({ ackTimeout: 0.4, failuresBeforeCooldown: 1000 })
})
afterAll(() => team.close())
beforeEach(async () => {
  team.receiver.answer = status(204)
  team.receiver.received.length = 0
  webhook_id = await team.hook(`/w${++count}`)
})

/** Writes, sends once to a webhook of its own, and answers what became of the event. */
async function send(answer?: Answer) {
  if (answer) team.receiver.answer = answer
  await team.set(`k${count}`, `The value number ${count}.`)
  const [hooks] = [await team.loom.call('webhook.list', { namespace: 'chat' }, ADMIN)]
  for (const hook of hooks.webhooks)
    if (hook.webhook_id !== webhook_id) await team.loom.call('webhook.remove', { namespace: 'chat', webhook_id: hook.webhook_id }, ADMIN)
  const before = performance.now()
  await team.pass()
  const [outcome] = await team.outcomes({ webhook_id })
  return { ...outcome, took: performance.now() - before }
}
const sent = () => team.receiver.received.filter(({ path }) => path === `/w${count}`).length

describe('a receiver that', () => {
  it.each([200, 204, 299])('answers %d takes the event [WHK107]', async (code) => {
    expect(await send(status(code))).toMatchObject({
      state: 'delivered',
      attempts: 1,
      last_status: code,
      last_error: '',
      next_attempt_at: null,
    })
    await team.pass(3600)
    expect(sent()).toBe(1)
  })

  it.each([300, 302, 307, 400, 410, 500, 503])('answers %d is asked again, 3xx included [WHK109, WHK104, WHK089]', async (code) => {
    const away: Answer = (_received, response) =>
      void response.writeHead(code, { location: team.url('/elsewhere'), 'content-length': '0' }).end()
    expect(await send(away)).toMatchObject({ state: 'pending', attempts: 1, last_status: code, last_error: '' })
    expect(team.receiver.received.filter(({ path }) => path === '/elsewhere')).toEqual([])
    team.receiver.answer = status(204)
    await team.pass(10)
    expect((await team.outcomes({ webhook_id }))[0]).toMatchObject({ state: 'delivered', attempts: 2, last_status: 204 })
  })

  it('is silent runs into the deadline, which covers everything to the status line [WHK107, WHK108, WHK109]', async () => {
    const outcome = await send(() => {})
    expect(outcome).toMatchObject({ state: 'pending', attempts: 1, last_status: null, last_error: 'timeout' })
    expect(outcome.took).toBeGreaterThan(380)
    expect(outcome.took).toBeLessThan(3000)
  })

  it('is slow, behind a slow look-up of its name, runs into the same deadline [WHK108]', async () => {
    team.lookup.takes = 250
    expect(await send((_received, response) => void setTimeout(() => response.writeHead(204).end(), 250))).toMatchObject({
      state: 'pending',
      last_error: 'timeout',
    })
    team.lookup.takes = 0
    await team.pass(10)
    expect((await team.outcomes({ webhook_id }))[0]).toMatchObject({ state: 'delivered' })
  })

  it('sends a body without end is left at its status line [WHK108]', async () => {
    let written = 0
    let closed = false
    const endless: Answer = (_received, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = (): void => {
        if (closed) return
        written += 65_536
        if (response.write('x'.repeat(65_536))) setImmediate(more)
        else response.once('drain', more)
      }
      response.once('close', () => void (closed = true))
      more()
    }
    expect(await send(endless)).toMatchObject({ state: 'delivered', last_status: 200 })
    for (let wait = 0; !closed && wait < 100; wait++) await new Promise((done) => setTimeout(done, 10))
    expect(closed).toBe(true)
    expect(written).toBeLessThan(20_000_000)
  })

  it.each(['too much', 'too little'])('lies about the length of its body, by %s, is believed for its status line', async (which) => {
    const lie: Answer = (_received, response) => {
      response.socket?.end(`HTTP/1.1 202 Accepted\r\ncontent-length: ${which === 'too much' ? 1_000_000_000 : 1}\r\n\r\nabc`)
    }
    expect(await send(lie)).toMatchObject({ state: 'delivered', last_status: 202 })
  })

  it.each([
    [
      'resets the connection',
      'connection: ECONNRESET',
      (_received: unknown, response: { socket: { resetAndDestroy(): void } | null }) => response.socket?.resetAndDestroy(),
    ],
    [
      'speaks no HTTP',
      'connection: HPE_INVALID_CONSTANT',
      (_received: unknown, response: { socket: { end(text: string): void } | null }) => response.socket?.end('hello there\r\n\r\n'),
    ],
  ] as const)('%s is asked again [WHK109, WHK089]', async (_name, error, answer) => {
    expect(await send(answer as unknown as Answer)).toMatchObject({ state: 'pending', last_status: null, last_error: error })
  })

  it('is down, or whose name is gone, is asked again [WHK109, WHK089]', async () => {
    await team.receiver.close()
    expect(await send()).toMatchObject({ state: 'pending', last_error: 'connection: ECONNREFUSED' })
    const found = team.names.get('hooks.test') ?? []
    team.names.delete('hooks.test')
    await team.pass(10)
    team.names.set('hooks.test', found)
    expect((await team.outcomes({ webhook_id }))[0]).toMatchObject({ state: 'pending', attempts: 2, last_error: 'connection: ENOTFOUND' })
    team.receiver = await openReceiver(undefined, team.receiver.port)
    await team.pass(60)
    expect((await team.outcomes({ webhook_id }))[0]).toMatchObject({ state: 'delivered', attempts: 3 })
  })

  it('closes a connection that was kept is sent the event on a new one', async () => {
    const close: Answer = (_received, response) => {
      response.writeHead(200, { 'content-length': '0', connection: 'keep-alive' }).end()
      setTimeout(() => response.socket?.destroy(), 1)
    }
    team.receiver.answer = close
    for (let n = 0; n < 5; n++) await team.set(`kept/${count}/${n}`, `Kept ${n}.`)
    await team.pass()
    expect((await team.outcomes({ webhook_id })).map(({ state }) => state)).toEqual(Array(5).fill('delivered'))
  })
})

describe('addresses at delivery', () => {
  it('are checked each time: a name that now leads inside is not connected to, and an http URL not when that is off [WHK102, WHK104]', async () => {
    const strict = await openTeam({ privateHosts: [] })
    try {
      strict.names.set('hooks.test', [{ address: '93.184.216.34', family: 4 }])
      await strict.hook()
      strict.names.set('hooks.test', [
        { address: '93.184.216.34', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])
      await strict.set('k', 'A value.')
      await strict.pass()
      expect(strict.receiver.received).toEqual([])
      expect((await strict.outcomes())[0]).toMatchObject({
        state: 'pending',
        attempts: 1,
        last_status: null,
        last_error: 'address refused',
      })
    } finally {
      await strict.close()
    }
  })

  it('are looked up once for a POST, which goes to what was checked, however the name turns [WHK104]', async () => {
    const asked: string[] = []
    const turning = await openTeam(
      {},
      {
        webhooks: {
          secretOf: () => 'x',
          // The first answer is where the receiver is; a second look-up would find nothing.
          resolve: async (host) => {
            asked.push(host)
            return [{ address: asked.length % 2 === 1 ? '127.0.0.1' : '127.0.0.9', family: 4 }]
          },
        },
      },
    )
    try {
      await turning.hook()
      asked.length = 0
      await turning.set('k', 'A value.')
      await turning.pass()
      expect(asked).toEqual(['hooks.test'])
      expect(turning.receiver.received).toHaveLength(1)
    } finally {
      await turning.close()
    }
  })
})

it('nothing is sent while delivery is off; events are stored [CFG026]', async () => {
  const off = await openTeam({ deliverEnabled: false })
  try {
    await off.hook()
    await off.set('k', 'A value.')
    await off.pass()
    await off.pass(3600)
    expect(off.receiver.received).toEqual([])
    expect(await queued(off)).toHaveLength(1)
    expect((await off.outcomes())[0]).toMatchObject({ state: 'pending', attempts: 0 })
  } finally {
    await off.close()
  }
})
