import { expect, it } from 'vitest'
import { openTeam } from '../../helpers/webhooks.ts'

it('a write wakes the pass, which else looks every 30 s; what fails is tried again after 5 s [WHK129, WHK110]', async () => {
  const team = await openTeam({}, { jobs: 'timed', clock: Date.now })
  const arrived = async (count: number): Promise<void> => {
    for (const until = Date.now() + 12_000; team.receiver.received.length < count && Date.now() < until;)
      await new Promise((done) => setTimeout(done, 20))
    expect(team.receiver.received).toHaveLength(count)
  }
  try {
    await team.hook()
    await team.set('first', 'The first value.')
    await arrived(1)
    team.receiver.answer = (_received, response) =>
      void response.writeHead(team.receiver.received.length === 2 ? 500 : 204, { 'content-length': '0' }).end()
    await team.set('second', 'The second value.')
    await arrived(3)
    const [, second, third] = team.receiver.received
    expect(third?.headers['webhook-id']).toBe(second?.headers['webhook-id'])
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(4900)
  } finally {
    await team.close()
  }
}, 30_000)
