import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, AT, change, openServer, pairDevice, set, type Device, type Result } from '../../helpers/push.ts'

let server: TestEngine
let alice: Device
let bob: Device
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS })
  alice = await pairDevice(server, 'alice', { chat: 'admin' })
  bob = await pairDevice(server, 'bob')
})
afterAll(() => server.close())

const get = (memory_key: string) => server.call('memory.get', { ...AT, memory_key }, ADMIN)
const audits = async (memory_key: string) => (await server.call('audit.list', { namespace: 'chat', memory_key }, ADMIN)).rows
const withoutReplay = ({ replayed: _replayed, message: _message, peers: _peers, ...result }: Result) => result

describe('a change that comes again', () => {
  it('is answered as before, and nothing is done twice', async () => {
    const changes = [
      set('twice/one', 'The kettle is blue.'),
      change('memory.outcome', { memory_key: 'twice/one', outcome: 'positive' }),
      change('memory.delete', { memory_key: 'twice/none' }),
      change('memory.nonsense', {}),
    ]
    const first = await alice.push(changes)
    const second = await alice.push(changes)
    expect(first.results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'refused', 'quarantined'])
    expect(second.results.map(({ replayed }) => replayed)).toEqual([true, true, true, true])
    expect(second.results.slice(1).map(withoutReplay)).toEqual(first.results.slice(1).map(withoutReplay))
    expect(await get('twice/one')).toMatchObject({ acted_count: 1 })
    expect((await server.call('memory.history', { ...AT, memory_key: 'twice/one' }, ADMIN)).rows).toHaveLength(1)
  })

  it('comes with the row of today, where its device may read it', async () => {
    const one = set('today', 'Lunch is at one.')
    await alice.send(one)
    await server.call('memory.set', { ...AT, memory_key: 'today', value: 'Lunch is at two.' }, ADMIN)
    expect(await alice.send(one)).toMatchObject({ outcome: 'applied', replayed: true, row: { value: '"Lunch is at two."' } })
    const stranger = await pairDevice(server, 'eve', { elsewhere: 'writer' })
    expect(await stranger.send(one)).toMatchObject({ replayed: true, row: null })
  })

  it('twice at once is settled once, whichever push is first', async () => {
    const one = set('race', 'Only one of these.')
    const [mine, theirs] = await Promise.all([alice.send(one), bob.send(one)])
    expect(mine.replayed).not.toBe(theirs.replayed)
    expect(theirs.version).toBe(mine.version)
    expect(await audits('race')).toHaveLength(1)
  })

  it('of a push that is running already is refused until that ends', async () => {
    const changes = [0, 1, 2, 3, 4].map((at) => set(`busy/${at}`, `Number ${at} of the running push.`))
    const outcomes = await Promise.allSettled([alice.push(changes), alice.push(changes)])
    const [done, busy] = outcomes.map(({ status }) => status).sort()
    expect([done, busy]).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'IN_PROGRESS', fields: { retry_after_s: 30 } },
    })
    expect((await alice.push(changes)).results.every(({ replayed }) => replayed)).toBe(true)
  })
})

describe('what a change was made on', () => {
  it('may be a change of the same push; each accepted one has an audit row of the server [AUD004]', async () => {
    const one = set('chain', 'Built on Monday.')
    const two = set('chain', 'Built on Tuesday.', { base_change_id: one.change_id })
    const three = change('memory.update', { memory_key: 'chain', value: 'Built on Wednesday.' }, { base_change_id: two.change_id })
    const { results } = await alice.push([one, two, three])
    expect(results.map(({ outcome }) => outcome)).toEqual(['applied', 'applied', 'applied'])
    expect(await get('chain')).toMatchObject({ value: 'Built on Wednesday.', status: 'active' })
    const rows = await audits('chain')
    expect(rows.map(({ op, origin, actor }) => [op, origin, actor])).toEqual([
      ['memory.update', 'push', 'human:alice'],
      ['memory.set', 'push', 'human:alice'],
      ['memory.set', 'push', 'human:alice'],
    ])
    expect(new Set(rows.map((row) => row.request_id)).size).toBe(1)
  })

  it('is that of a refused, merged or lost change when it was made on that', async () => {
    await server.call('blacklist.add', { namespace: 'chat', pattern: 'forbidden' }, ADMIN)
    const { version } = await server.call('memory.set', { ...AT, memory_key: 'passed/on', value: 'Of the server.' }, ADMIN)
    const refused = set('passed/on', 'A forbidden word.', { base_version: version })
    const after = set('passed/on', 'Said after that.', { base_change_id: refused.change_id })
    const { results } = await alice.push([refused, after])
    expect(results.map(({ outcome, code, status }) => [outcome, code, status])).toEqual([
      ['refused', 'BLACKLISTED', ''],
      ['applied', '', 'active'],
    ])
    // The same on a head that the device had not seen: both are in conflict with it.
    const unseen = set('passed/on', 'Without looking.', { recorded_at: '2020-01-01' })
    const onIt = set('passed/on', 'Nor this time.', { base_change_id: unseen.change_id })
    expect((await bob.push([unseen, onIt])).results).toMatchObject([
      { outcome: 'lost', status: 'conflicted' },
      { outcome: 'applied', status: 'conflicted' },
    ])
  })

  it('is passed on by one that could not be run, too', async () => {
    const { version } = await server.call('memory.set', { ...AT, memory_key: 'passed/bad', value: 'Seen by the device.' }, ADMIN)
    const bad = change('memory.set', { memory_key: 'passed/bad', value: 'x', confidence: 7 }, { base_version: version })
    const after = set('passed/bad', 'Made on what it had seen.', { base_change_id: bad.change_id, recorded_at: '2020-01-01' })
    expect((await bob.push([bad, after])).results).toMatchObject([{ outcome: 'quarantined' }, { outcome: 'applied', status: 'active' }])
  })

  it('names the version that a change made', async () => {
    const one = set('named', 'Version of a change.')
    const gone = change(
      'memory.delete_version',
      { memory_key: 'named', version: `change:${one.change_id}` },
      { base_change_id: one.change_id },
    )
    const never = change('memory.delete_version', { memory_key: 'named', version: `change:${v7()}` })
    const { results } = await alice.push([one, gone, never])
    expect(results.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['applied', ''],
      ['applied', ''],
      ['refused', 'NOT_FOUND'],
    ])
  })
})

describe('ids', () => {
  it('of the device are kept while they are free, and stay other names of the row when it has one', async () => {
    const mine = v7()
    const theirs = v7()
    const first = await alice.send(set('ids/one', 'Of Alice.', { memory_id: mine }))
    const second = await bob.send(set('ids/one', 'Of Bob.', { memory_id: theirs, base_version: first.version }))
    expect([first.memory_id, second.memory_id]).toEqual([mine, mine])
    expect(await server.call('memory.get_by_id', { memory_id: theirs }, ADMIN)).toMatchObject({
      found: true,
      memory_id: mine,
      value: 'Of Bob.',
    })
    const update = change(
      'memory.update_by_id',
      { memory_id: theirs, value: 'By its other name.' },
      { base_version: second.version, memory_id: theirs },
    )
    expect(await bob.send(update)).toMatchObject({ outcome: 'applied', memory_id: mine })
    const taken = await bob.send(set('ids/two', 'Another row.', { memory_id: mine }))
    expect(taken.memory_id).not.toBe(mine)
  })

  it('an update of a key without a live row writes it anew, so that no value is dropped', async () => {
    const lonely = change('memory.update', { memory_key: 'ids/gone', value: 'Kept all the same.', tags: ['t'] }, { memory_id: v7() })
    expect(await alice.send(lonely)).toMatchObject({ outcome: 'applied', memory_id: lonely.memory_id })
    expect(await get('ids/gone')).toMatchObject({ value: 'Kept all the same.', tags: ['t'] })
    const byId = v7()
    const stray = change(
      'memory.update_by_id',
      { memory_id: byId, memory_key: 'ids/stray', value: 'Known by its id alone.' },
      { memory_id: byId },
    )
    expect(await alice.send(stray)).toMatchObject({ outcome: 'applied', memory_id: byId })
    expect(await alice.send(change('memory.update', { memory_key: 'ids/nothing', tags: ['t'] }))).toMatchObject({
      outcome: 'refused',
      code: 'NOT_FOUND',
    })
  })
})
