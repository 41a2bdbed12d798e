import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { v7 } from 'uuid'
import { ADMIN, AT, change, pairDevice, set, type Device } from '../../helpers/push.ts'
import { openTeam, queued, type Team } from '../../helpers/webhooks.ts'

const HOUR = 3_600_000

let team: Team
let alice: Device
beforeAll(async () => {
  team = await openTeam()
  await team.hook()
  alice = await pairDevice(team.loom, 'alice', { chat: 'admin' }, {}, () => team.clock.now)
})
afterAll(() => team.close())
const clear = async (): Promise<void> => {
  team.clock.now += 1000
  await team.loom.database.reader.deleteFrom('memory_webhook_outbox').where('org', '=', 'acme').execute()
}
beforeEach(clear)

const ago = (hours: number): string => new Date(team.clock.now - hours * HOUR).toISOString()
const told = async (): Promise<string[]> => (await queued(team)).map(({ type, memory_key }) => `${type} ${memory_key}`)
const admin = async (memory_key: string, value: string): Promise<bigint> => {
  const { version } = await team.loom.call('memory.set', { ...AT, memory_key, value }, ADMIN)
  team.clock.now += 10 * HOUR
  return version
}

describe('a change that a device pushes', () => {
  it('is told once, as the server settles it, at the server’s time, with the push as its request [WHK003, WHK071, WHK072]', async () => {
    const sent = set('offline/tea', 'Prefers green tea.', { recorded_at: ago(30) })
    const requestId = v7()
    const push = () =>
      team.loom.call('sync.push', { erasure_seq: 0, sent_at: ago(0), changes: [sent] }, { claims: alice.claims, requestId })
    const { results } = await push()
    expect(results[0]).toMatchObject({ outcome: 'applied' })
    const [event, ...rest] = await queued(team)
    expect(rest).toEqual([])
    expect(JSON.parse(event?.body ?? '{}')).toMatchObject({
      type: 'memory.written',
      memory_key: 'offline/tea',
      memory_id: results[0]?.memory_id,
      actor: 'human:alice',
      request_id: requestId,
      occurred_at: ago(0),
    })
    expect(event?.version).toBe(results[0]?.version)
    expect((await push()).results[0]).toMatchObject({ replayed: true })
    expect(await told()).toEqual(['memory.written offline/tea'])
    await alice.send(change('memory.delete', { memory_key: 'offline/tea' }, { base_version: results[0]?.version ?? null }))
    expect(await told()).toEqual(['memory.written offline/tea', 'memory.tombstoned offline/tea'])
  })

  it('that the device took for new, and the server for another value of a live key, is told as revised [WHK003]', async () => {
    const base = await admin('moved/on', 'The library opens at nine.')
    await clear()
    expect(await alice.send(set('moved/on', 'The library opens at ten.', { base_version: base }))).toMatchObject({ outcome: 'applied' })
    expect(await told()).toEqual(['memory.revised moved/on'])
  })

  it('that is contested and takes the head is told; one that loses, and the flag that it leaves, are not [WHK003]', async () => {
    const contest = async (key: string, place: string, hours: number) => {
      const base = await admin(key, `The ${place} opens at nine.`)
      await admin(key, `The ${place} opens at eight.`)
      await clear()
      return alice.send(set(key, `The ${place} opens at seven.`, { base_version: base, recorded_at: ago(hours) }))
    }
    expect(await contest('contest/newer', 'museum', 5)).toMatchObject({ outcome: 'applied', status: 'conflicted' })
    expect(await told()).toEqual(['memory.revised contest/newer'])
    expect(await contest('contest/older', 'bakery', 15)).toMatchObject({ outcome: 'lost', status: 'conflicted' })
    expect((await team.loom.call('memory.get', { ...AT, memory_key: 'contest/older' }, ADMIN)).status).toBe('conflicted')
    expect(await told()).toEqual([])
  })

  it('that is merged, refused, taken back or put aside is not told [WHK003, WHK042]', async () => {
    await admin('merge/one', 'Backups run at night.')
    await admin('locked', 'A row that is locked.')
    await team.loom.call('memory.lock', { ...AT, memory_key: 'locked', reason: 'x' }, ADMIN)
    await clear()
    const outcomes = []
    for (const one of [
      set('merge/two', 'Backups run at night.'),
      set('locked', 'Another value under the lock.'),
      change('memory.nonsense', {}),
      set('merge/one', 'Backups run at night.'),
    ])
      outcomes.push((await alice.send(one)).outcome)
    expect(outcomes).toEqual(['merged', expect.stringMatching(/lost|refused/), 'quarantined', 'noop'])
    expect(await told()).toEqual([])
  })
})
