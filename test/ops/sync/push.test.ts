import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { ADMIN, AT, change, openServer, pairDevice, set, type Device } from '../../helpers/push.ts'

let server: TestEngine
let alice: Device
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS })
  alice = await pairDevice(server, 'alice', { chat: 'admin' })
})
afterAll(() => server.close())

const get = (memory_key: string) => server.call('memory.get', { ...AT, memory_key }, ADMIN)
const admin = (memory_key: string, value: string) => server.call('memory.set', { ...AT, memory_key, value }, ADMIN)

describe('the outcome of a pushed change', () => {
  it('applied: the row is as the device made it, with the actor of its token, and the versions of the server [PRV004] [SET012]', async () => {
    const memory_id = v7()
    const recorded_at = new Date(Date.now() - 3_600_000).toISOString()
    const sent = set('user/pref/tea', 'Prefers green tea.', { memory_id, recorded_at, local_version: 5n, source_class: 'agent' })
    const result = await alice.send({ ...sent, args: { ...sent.args, actor: 'human:mallory' } })
    expect(result).toMatchObject({ outcome: 'applied', replayed: false, code: '', conflict_verdict: 'clear', status: 'active', memory_id })
    const row = await get('user/pref/tea')
    expect(row).toMatchObject({
      found: true,
      memory_id,
      actor: 'human:alice',
      source_class: 'agent',
      updated_at: recorded_at,
      created_at: recorded_at,
    })
    expect(row.version).toBe(result.version)
    expect(row.version).toBeGreaterThan(1_700_000_000_000_000_000n)
    expect(result.row).toMatchObject({
      memory_id,
      version: String(result.version),
      rev: '1',
      value: '"Prefers green tea."',
      actor: 'human:alice',
      change_id: sent.change_id,
      device_id: alice.id,
    })
  })

  it('noop: what is known already', async () => {
    await alice.send(set('noop/key', 'The build runs on Linux.'))
    const again = await alice.send(set('noop/key', 'The build runs on Linux.'))
    expect(again).toMatchObject({ outcome: 'noop', code: '' })
    expect(again.row).toMatchObject({ value: '"The build runs on Linux."' })
  })

  it('merged: the fact is under another key', async () => {
    await admin('merge/one', 'Backups run at night.')
    const result = await alice.send(set('merge/two', 'Backups run at night.'))
    expect(result).toMatchObject({ outcome: 'merged', conflict_verdict: 'merge', merged_into_key: 'merge/one', row: null })
    expect(result.memory_id).toBe((await get('merge/one')).memory_id)
  })

  it('quarantined: one that cannot be run, while the rest go on', async () => {
    const { results } = await alice.push([
      set('rest/one', 'First of the rest.'),
      { change_id: v7() } as never,
      change('memory.nonsense', {}),
      change('memory.get', { memory_key: 'rest/one' }),
      change('memory.bulk_set', { entries: [] }),
      change('memory.set', { memory_key: 'rest/bad', value: 'x', confidence: 7 }),
      change('memory.set', { memory_key: 'rest/bad', value: 'x', user_id: undefined }),
      { ...set('rest/bad', 'x'), change_id: 'mine' },
      set('rest/two', 'Last of the rest.'),
    ])
    expect(results.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['applied', ''],
      ['quarantined', 'INVALID_ARGUMENT'],
      ['quarantined', 'UNKNOWN_OPERATION'],
      ['quarantined', 'UNKNOWN_OPERATION'],
      ['quarantined', 'INVALID_ARGUMENT'],
      ['quarantined', 'INVALID_ARGUMENT'],
      ['quarantined', 'MISSING_IDENTITY_FIELD'],
      ['quarantined', 'INVALID_ARGUMENT'],
      ['applied', ''],
    ])
    expect((await get('rest/bad')).found).toBe(false)
  })
})

describe('the envelope', () => {
  it('is refused without a device token, in another protocol, and with an id that is missing or stands twice', async () => {
    const one = set('envelope', 'x')
    const sent = { erasure_seq: 0, sent_at: new Date().toISOString(), changes: [one] }
    await refused(server.call('sync.push', sent, ADMIN), 'FORBIDDEN')
    const fieldsOf = async (call: Promise<unknown>) => (await refused(call, 'INVALID_ARGUMENT')).fields
    expect(await fieldsOf(alice.push([one], { protocol: 2 }))).toMatchObject({ field: 'protocol', supported: [1] })
    expect(await fieldsOf(alice.push([one, one]))).toMatchObject({ field: 'changes[1].change_id' })
    expect(await fieldsOf(alice.push([one, { ...one, change_id: '' }]))).toMatchObject({ field: 'changes[1].change_id' })
    expect(await fieldsOf(alice.push([]))).toMatchObject({ field: 'changes' })
    expect((await get('envelope')).found).toBe(false)
  })
})
