import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

describe('a shared copy whose row gets its vector later', () => {
  let loom: TestEngine
  const at = { namespace: 'local' }
  const ada = { claims: { ...localClaims('human', 'ada'), user_id: 'ada' } }
  const byMeaning = async () => {
    const query = 'when is the sluice greased'
    return (await loom.call('memory.search', { ...at, query, search_mode: 'vector' }, ada)).results.map((hit) => hit.memory_key)
  }
  beforeAll(async () => {
    loom = await openTestEngine()
    await loom.call('memory.set', { ...at, user_id: 'bob', memory_key: 'sluice', value: 'The sluice is greased in March.' })
    await loom.database.transaction(async (tx) => void (await sql`DELETE FROM loom.memory_embedding`.execute(tx)))
    await loom.call('memory.promote', { ...at, user_id: 'bob', memory_key: 'sluice' })
  })
  afterAll(() => loom.close())

  it('is found by meaning from then on', async () => {
    expect(await byMeaning()).toEqual([])
    await loom.call('memory.reindex', { ...at, what: 'embeddings' })
    await loom.engine.runDueJobs()
    expect(await byMeaning()).toEqual(['sluice'])
  })
})
