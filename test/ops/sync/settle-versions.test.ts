import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { testModels } from '../../helpers/models.ts'
import { refused } from '../../helpers/errors.ts'
import type { TestEngine } from '../../helpers/engine.ts'
import { ADMIN, AT, change, openServer, pairDevice, set, type Device } from '../../helpers/push.ts'

let now = Date.UTC(2026, 5, 1, 12)
let server: TestEngine
let alice: Device
beforeAll(async () => {
  server = await openServer({ models: await testModels(), clock: () => now })
  alice = await pairDevice(server, 'alice', { chat: 'writer' }, {}, () => now)
})
afterAll(() => server.close())

const get = (memory_key: string) => server.call('memory.get', { ...AT, memory_key }, ADMIN)
const open = async (memory_key: string) => (await server.call('conflicts.list', { namespace: 'chat', memory_key }, ADMIN)).pairs
const resolve = (input: Partial<CallInputOf<'conflicts.resolve'>>) =>
  server.call('conflicts.resolve', { namespace: 'chat', ...input } as CallInputOf<'conflicts.resolve'>, ADMIN)

/** A head of the server, flagged because a device wrote another value before it. Answers the pair of the two. */
async function contested(key: string, mine: string, theirs: string): Promise<string> {
  await server.call('memory.set', { ...AT, memory_key: key, value: theirs }, ADMIN)
  await alice.send(set(key, mine, { recorded_at: new Date(now - 3_600_000).toISOString() }))
  now += 60_000
  const [pair] = await open(key)
  expect(pair).toMatchObject({ origin: 'sync', row: { value: theirs, status: 'conflicted' }, peer: { value: mine } })
  return pair?.pair_id ?? ''
}

describe('a pair of two versions of one key', () => {
  it('keep_row clears the flag, and can be taken back', async () => {
    const pair_id = await contested('pair/row', 'Standup is at nine.', 'Standup is at ten.')
    expect(await resolve({ pair_id, resolution: 'keep_row' })).toMatchObject({
      found: true,
      resolved: true,
      open_left: 0,
      tombstoned: null,
    })
    expect(await get('pair/row')).toMatchObject({ value: 'Standup is at ten.', status: 'active' })
    expect(await open('pair/row')).toEqual([])
    expect(await resolve({ pair_id, resolution: 'keep_row' })).toMatchObject({ resolved: true, noop: true })
    expect(await resolve({ pair_id, resolution: 'reopen' })).toMatchObject({ resolved: true })
    expect(await get('pair/row')).toMatchObject({ status: 'conflicted' })
    expect(await open('pair/row')).toHaveLength(1)
  })

  it('keep_peer writes the other value as a new version, and can be taken back', async () => {
    const pair_id = await contested('pair/peer', 'Lena owns the billing code.', 'Omar owns the billing code.')
    const before = await get('pair/peer')
    const answer = await resolve({ pair_id, resolution: 'keep_peer' })
    expect(answer).toMatchObject({ resolved: true, open_left: 0, kept: [{ memory_key: 'pair/peer', status: 'active' }] })
    const after = await get('pair/peer')
    expect(after).toMatchObject({ value: 'Lena owns the billing code.', status: 'active', memory_id: before.memory_id })
    expect(after.version).toBe(answer.kept[0]?.version)
    const search = await server.call('memory.search', { namespace: 'chat', query: 'who owns the billing code' }, ADMIN)
    expect(search.results[0]).toMatchObject({ memory_key: 'pair/peer', content_excerpt: 'Lena owns the billing code.' })
    await resolve({ pair_id, resolution: 'reopen' })
    expect(await get('pair/peer')).toMatchObject({ value: 'Omar owns the billing code.', status: 'conflicted' })
    expect(await open('pair/peer')).toHaveLength(1)
  })

  it('merge writes its value; keep_both is refused, for a key holds one value', async () => {
    const pair_id = await contested('pair/merge', 'The printer is on floor two.', 'The printer is on floor three.')
    await refused(resolve({ pair_id, resolution: 'keep_both' }), 'INVALID_ARGUMENT')
    expect(await resolve({ pair_id, resolution: 'merge', value: 'Printers are on floors two and three.', dry_run: true })).toMatchObject({
      dry_run: true,
    })
    expect(await get('pair/merge')).toMatchObject({ value: 'The printer is on floor three.' })
    expect(await resolve({ pair_id, resolution: 'merge', value: 'Printers are on floors two and three.' })).toMatchObject({
      resolved: true,
    })
    expect(await get('pair/merge')).toMatchObject({ value: 'Printers are on floors two and three.', status: 'active' })
  })

  it('is left alone by the conflict resolver while it stands, and is stale when the key says something new', async () => {
    await contested('pair/worker', 'Deploys go out on Monday.', 'Deploys go out on Tuesday.')
    await server.engine.runDueJobs(new Date(now + 120_000))
    expect(await get('pair/worker')).toMatchObject({ status: 'conflicted' })
    expect(await open('pair/worker')).toHaveLength(1)
    await server.call('memory.update', { ...AT, memory_key: 'pair/worker', value: 'Deploys go out every day.' }, ADMIN)
    expect(await open('pair/worker')).toEqual([])
    expect(await get('pair/worker')).toMatchObject({ status: 'active' })
  })

  it('is settled by a device too, on the texts that it saw', async () => {
    const pair_id = await contested('pair/device', 'The wifi name is Aurora.', 'The wifi name is Borealis.')
    const [pair] = await open('pair/device')
    const args = {
      memory_key: undefined,
      pair_id,
      resolution: 'keep_peer',
      if_match_sha256: pair?.row.content_sha256,
      peer_if_match_sha256: 'f'.repeat(64),
    }
    const memory_id = pair?.row.memory_id ?? ''
    expect(await alice.send(change('conflicts.resolve', args, { memory_id }))).toMatchObject({
      outcome: 'refused',
      code: 'PRECONDITION_FAILED',
    })
    const sent = change('conflicts.resolve', { ...args, peer_if_match_sha256: pair?.peer.content_sha256 }, { memory_id })
    expect(await alice.send(sent)).toMatchObject({
      outcome: 'applied',
      memory_id,
      row: { value: '"The wifi name is Aurora."', status: 'active' },
    })
    expect(await alice.send(change('conflicts.resolve', { ...args, resolution: 'keep_both' }, { memory_id }))).toMatchObject({
      outcome: 'quarantined',
      code: 'INVALID_ARGUMENT',
    })
  })
})
