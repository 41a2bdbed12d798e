import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const DOCUMENTED = {
  org: 'dev',
  namespace: 'local',
  agent: 'ops-bot',
  memory_key: 'deploy/window/prod',
  value: 'Production deploys run Tuesday and Thursday only; never Friday.',
  tags: ['deploy', 'policy'],
  entities: ['production'],
}

describe('memory.set', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  it('stores the documented claim and reads it back [SET001, SET005, SET008, KEY002, KEY008, KEY011]', async () => {
    const set = await loom.call('memory.set', DOCUMENTED)
    expect(set).toMatchObject({ conflict_verdict: 'clear', status: 'active', noop: false, advisories: [], degraded: [], next: '' })
    const got = await loom.call('memory.get_by_id', { memory_id: set.memory_id })
    expect(got).toMatchObject({ found: true, memory_key: 'deploy/window/prod', value: DOCUMENTED.value, tags: ['deploy', 'policy'] })
  })

  it('names the conflict of the contradicting claim [VER014, VER005, VER011, SET014, KEY007]', async () => {
    const set = await loom.call('memory.set', { memory_key: 'ops/deploys', value: 'Production deploys run Monday to Thursday.' })
    expect(set.conflict_verdict).toBe('conflict')
    expect(set.status).toBe('conflicted')
    expect(set.peers[0]).toMatchObject({ memory_key: 'deploy/window/prod', relation: 'contradicts' })
    expect(set.next).toContain("memory.update(memory_key='deploy/window/prod'")
  })

  it('finds the claim', async () => {
    const found = await loom.call('memory.search', { query: 'when do we deploy' })
    expect(found.results[0]?.memory_key).toBe('deploy/window/prod')
  })
})
