import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Caller } from '../../../shared/engine/caller.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const HELD = { memory_key: 'deploy/window/prod', value: 'Production deploys run Tuesday and Thursday only; never Friday.' }
const AGAINST = { memory_key: 'ops/deploys', value: 'Production deploys run Monday to Thursday.' }

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

/** Sends a call that an answer offers, exactly as it came over the wire. */
const send = (call: { op: string; arguments: object } | null | undefined, caller: Partial<Caller> = {}) =>
  loom.call(call?.op as 'conflicts.resolve', JSON.parse(JSON.stringify(call?.arguments)) as never, caller)

/** Settles a contradiction, undoes it, and settles it once more as the queue offers; all with what the answers say. */
async function settleAndUndo(caller: Partial<Caller>, named: { org?: string; namespace?: string }): Promise<object> {
  await loom.call('memory.set', { ...named, agent: 'a', ...HELD }, caller)
  await loom.call('memory.set', { ...named, agent: 'a', ...AGAINST }, caller)
  const settled = await loom.call('conflicts.resolve', { ...named, memory_key: 'ops/deploys', resolution: 'keep_peer' }, caller)
  expect(settled).toMatchObject({ resolved: true, tombstoned: { memory_key: 'ops/deploys' } })
  expect(await send(settled.undo, caller)).toMatchObject({ resolved: true, noop: false })
  const { items } = await loom.call('review.queue', named, caller)
  const keepRow = items[0]?.actions.find((action) => action.action === 'keep_row')
  expect(await send(keepRow, caller)).toMatchObject({ resolved: true, tombstoned: { memory_key: 'deploy/window/prod' } })
  return settled.undo?.arguments ?? {}
}

it('an undo and an action name no more than they need where the caller’s own place is meant', async () => {
  expect(Object.keys(await settleAndUndo({}, {}))).toEqual(['pair_id', 'resolution'])
  const fills = { namespace: 'filled' }
  expect(Object.keys(await settleAndUndo({ transport: 'mcp', fills }, {}))).toEqual(['pair_id', 'resolution'])
})

it('an undo and an action carry the namespace that is not the caller’s own', async () => {
  expect(await settleAndUndo({}, { namespace: 'elsewhere' })).toMatchObject({ namespace: 'elsewhere' })
  const fills = { namespace: 'another' }
  expect(await settleAndUndo({ transport: 'mcp', fills }, { namespace: 'third' })).toMatchObject({ namespace: 'third' })
})

it('the undo of a retirement brings the row back, whoever is asked and wherever it lies', async () => {
  const caller = { claims: { ...localClaims('human', 'root'), org: '*' } }
  const named = { org: 'acme', namespace: 'retired' }
  await loom.call('namespace.register', { ...named, default_conflict_policy: 'newest_wins' }, caller)
  await loom.call('memory.set', { ...named, agent: 'a', ...HELD }, caller)
  await loom.call('memory.set', { ...named, agent: 'a', ...AGAINST }, caller)
  const { rows } = await loom.call('memory.auto_retirements', named, caller)
  expect(rows).toMatchObject([{ memory_key: 'deploy/window/prod', undo: { arguments: named } }])
  expect(await send(rows[0]?.undo, caller)).toMatchObject({ restored: true })
})

it('an undo and an action carry the org of a caller who reaches several', async () => {
  const claims = { ...localClaims('process', 'root'), org: '*' }
  expect(await settleAndUndo({ claims }, { org: 'acme', namespace: 'chat' })).toMatchObject({ org: 'acme', namespace: 'chat' })
})
