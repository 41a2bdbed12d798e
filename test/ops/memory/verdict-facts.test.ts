import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

function space(engine = loom) {
  const namespace = `w${++spaces}`
  const set = (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
    engine.call('memory.set', { namespace, memory_key, value, ...more })
  const get = (memory_key: string, more: Partial<CallInputOf<'memory.get'>> = {}) =>
    engine.call('memory.get', { namespace, memory_key, ...more })
  return { namespace, set, get }
}

describe('a verdict', () => {
  it('lands on the row with the write itself, and memory.get answers it [VER021, VER027]', async () => {
    const { set, get } = space()
    await set('deploy/window/prod', HELD)
    await set('fact/a', 'The archive is rebuilt every night.', { run_id: 'r1' })
    expect(await set('ops/deploys', AGAINST)).toMatchObject({ status: 'conflicted', conflict_verdict: 'conflict' })
    expect(await set('fact/b', 'The archive is rebuilt every night.', { run_id: 'r2' })).toMatchObject({
      status: 'duplicate',
      conflict_verdict: 'duplicate',
    })
    expect(await get('ops/deploys')).toMatchObject({ status: 'conflicted', conflict_verdict: 'conflict' })
    expect(await get('fact/b')).toMatchObject({ status: 'duplicate', conflict_verdict: 'duplicate' })
    expect(await get('fact/a')).toMatchObject({ status: 'active', conflict_verdict: 'clear' })
    expect(await set('ops/deploys', AGAINST)).toMatchObject({ noop: true, conflict_verdict: 'conflict' })
    await set('log/1', 'Somebody opened the door.', { memory_type: 'episodic' })
    expect(await get('log/1')).toMatchObject({ conflict_verdict: '' })
  })

  it('goes by the threshold of its namespace alone [VER024]', async () => {
    const [strict, usual] = [space(), space()]
    await loom.call('namespace.register', { namespace: strict.namespace, conflict_threshold: 0.999 })
    for (const one of [strict, usual]) await one.set('deploy/window/prod', HELD)
    expect((await strict.set('ops/deploys', AGAINST)).conflict_verdict).toBe('clear')
    expect((await usual.set('ops/deploys', AGAINST)).conflict_verdict).toBe('conflict')
  })

  it('is rejected for a changed fact close to a pinned memory of another key [VER028]', async () => {
    const { set, get, namespace } = space()
    await loom.call('memory.pin', { namespace, memory_key: 'deploy/window/prod', value: HELD })
    expect(await set('ops/deploys', AGAINST)).toMatchObject({
      conflict_verdict: 'rejected',
      status: 'rejected',
      peers: [{ memory_key: 'deploy/window/prod', relation: 'pinned' }],
    })
    expect(await get('ops/deploys')).toMatchObject({ found: false })
  })

  it('of a duplicate leads to the canonical row, with and without follow [VER029]', async () => {
    const { set, get } = space()
    const held = await set('fact/a', 'The archive is rebuilt every night.', { run_id: 'r1' })
    await set('fact/b', 'The archive is rebuilt every night.', { run_id: 'r2' })
    expect(await get('fact/b')).toMatchObject({
      duplicate_of: held.memory_id,
      canonical_key: 'fact/a',
      resolved_from: '',
      memory_key: 'fact/b',
    })
    expect(await get('fact/b', { follow: true })).toMatchObject({
      memory_key: 'fact/a',
      memory_id: held.memory_id,
      status: 'active',
      resolved_from: 'fact/b',
    })
  })

  it('rests on words alone without an embedder, and says so [VER026]', async () => {
    const bare = await openTestEngine({ models: NO_MODELS })
    const [real, words] = [space(), space(bare)]
    const [one, other] = ['Ada leads the platform team.', 'The head of our infrastructure group is Ada.']
    for (const { set } of [real, words]) await set('team/lead', one)
    expect(await words.set('team/boss', other)).toMatchObject({ conflict_verdict: 'clear', degraded: expect.arrayContaining(['embedder']) })
    expect((await words.set('deploy', HELD)).degraded).toContain('embedder')
    expect((await words.set('deploy/copy', HELD.toLowerCase())).conflict_verdict).toBe('merge')
    expect((await real.set('team/twin', 'ADA leads the platform team')).degraded).toEqual([])
    await bare.close()
  })
})
