import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { CallInputOf, OpName, OutputOf } from '../../../shared/contract/registry.ts'
import { ADMIN } from '../../helpers/push.ts'
import { CHAT, openTeam, queued, type Team } from '../../helpers/webhooks.ts'

/** Copies and summaries are told to no webhook, in the namespace they come from and the one they go to. */

let team: Team
beforeAll(async () => {
  team = await openTeam()
  await team.hook()
  await call('memory.set', { namespace: 'other', memory_key: 'there', value: 'Stairs creak.' })
  await team.hook('/other', { namespace: 'other' })
  for (const n of [1, 2, 3]) await team.set(`log/${n}`, `Valve ${n} was oiled in week ${n}.`)
})
afterAll(() => team.close())
beforeEach(async () => {
  team.clock.now += 1000
  await team.loom.database.reader.deleteFrom('memory_webhook_outbox').where('org', '=', 'acme').execute()
})

const call = <N extends OpName>(op: N, input: CallInputOf<N>): Promise<OutputOf<N>> => team.loom.call(op, input, { ...ADMIN, fills: CHAT })
const told = async (): Promise<unknown[]> => queued(team)

it('no copy to another namespace is [WHK009]', async () => {
  expect((await call('memory.copy_to', { to_namespace: 'other', keys: ['log/1'] })).copied).toHaveLength(1)
  expect(await call('memory.cross_promote', { to_namespace: 'other', memory_key: 'log/2' })).toMatchObject({ promoted: true })
  expect(await told()).toEqual([])
  await call('memory.set', { namespace: 'other', memory_key: 'there', value: 'Stairs were mended.' })
  expect(await told()).toHaveLength(1)
})

it('nothing on the shelf is [WHK055]', async () => {
  expect(await call('memory.promote', { memory_key: 'log/1' })).toMatchObject({ promoted: true })
  expect(await call('memory.demote', { memory_key: 'log/1' })).toMatchObject({ demoted: true })
  expect(await told()).toEqual([])
})

it('no summary is, nor what it retires [WHK045]', async () => {
  const made = await call('memory.consolidate', { key_prefix: 'log/', retire_sources: true })
  expect(made.retired.length).toBeGreaterThan(1)
  expect(await told()).toEqual([])
})
