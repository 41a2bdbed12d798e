import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('decision.record', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS })
  })
  afterAll(() => loom.close())

  const record = (title: string, decision: string, more: object = {}) => loom.call('decision.record', { title, decision, ...more })
  const get = (memory_key: string) => loom.call('memory.get', { memory_key })

  it('stores title, decision and reasons under a readable key', async () => {
    const answer = await record('Café opening', 'The café opens at nine.', {
      rationale: 'Few come before.',
      alternatives: [{ option: 'Eight' }],
      tags: ['shop'],
    })
    expect(answer).toMatchObject({
      memory_key: 'decision/cafe-opening',
      status: 'active',
      conflict_verdict: 'clear',
      noop: false,
      superseded: null,
    })
    expect(await get('decision/cafe-opening')).toMatchObject({
      memory_type: 'semantic',
      tags: ['shop', 'decision'],
      value: {
        claim: 'Café opening: The café opens at nine.',
        title: 'Café opening',
        decision: 'The café opens at nine.',
        rationale: 'Few come before.',
        alternatives: [{ option: 'Eight', why_not: '' }],
      },
    })
    expect((await loom.call('audit.list', { memory_key: 'decision/cafe-opening' })).rows.map((row) => row.op)).toEqual(['decision.record'])
    const before = await countStores(loom.database)
    const again = { rationale: 'Few come before.', alternatives: [{ option: 'Eight' }] }
    expect(await record('Café opening', 'The café opens at nine.', again)).toMatchObject({ noop: true, version: answer.version })
    expect(await countStores(loom.database)).toEqual(before)
    // Titles that share a slug share the key.
    expect(await record('CAFE: opening!', 'The café opens at ten.')).toMatchObject({
      memory_key: 'decision/cafe-opening',
      memory_id: answer.memory_id,
    })
    expect(await get('decision/cafe-opening')).toMatchObject({ tags: ['shop', 'decision'] })
  })

  it('takes the place of an earlier one, which restore undoes', async () => {
    const old = await record('Queue', 'Jobs go through RabbitMQ.', { memory_key: 'queue/old' })
    const made = await record('Queue', 'Jobs go through Postgres.', { memory_key: 'queue/new', supersedes: 'queue/old' })
    expect(made).toMatchObject({
      status: 'active',
      conflict_verdict: 'clear',
      peers: [],
      superseded: { memory_key: 'queue/old', memory_id: old.memory_id },
    })
    const history = await loom.call('memory.history', { memory_key: 'queue/old' })
    expect(history.rows[0]).toMatchObject({ status: 'superseded' })
    expect(await loom.call('memory.restore', { memory_key: 'queue/old' })).toMatchObject({ restored: true, from: 'superseded' })
  })

  it('refuses where the earlier one is guarded, unknown or its own key, and stores nothing', async () => {
    await record('Held', 'The archive is kept.', { memory_key: 'held' })
    await record('Pinned', 'The gate is closed.', { memory_key: 'pinned' })
    await loom.call('memory.lock', { memory_key: 'held', mode: 'no_delete', reason: 'audit' })
    await loom.call('memory.pin', { memory_key: 'pinned', value: (await get('pinned')).value as never })
    await loom.call('memory.set', { memory_key: 'twice', value: 'Snow falls.', user_id: 'ada' })
    await loom.call('memory.set', { memory_key: 'twice', value: 'Rain falls.', user_id: 'bob' })
    const before = await countStores(loom.database)
    const supersede = (supersedes: string) => record('Later', 'Something else.', { supersedes })
    await refused(supersede('held'), 'LOCKED')
    await refused(supersede('pinned'), 'PINNED_CONFLICT')
    await refused(supersede('twice'), 'AMBIGUOUS_KEY')
    for (const key of ['nowhere', 'decision/later'])
      expect((await refused(supersede(key), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'supersedes' })
    expect(await countStores(loom.database)).toEqual(before)
    expect(await record('Later', 'Something else.', { supersedes: 'queue/old', dry_run: true })).toMatchObject({
      dry_run: true,
      superseded: null,
    })
    expect(await countStores(loom.database)).toEqual(before)
  })

  it('takes what memory.set takes', async () => {
    await record('Hash', 'One.', { run_id: 'r', confidence: 0.5, entities: ['Ada'] })
    expect(await get('decision/hash')).toMatchObject({ run_id: 'r', confidence: 0.5, entities: ['ada'] })
    await refused(record('Hash', 'Two.', { if_match_sha256: 'f'.repeat(64) }), 'PRECONDITION_FAILED')
    expect(
      (await refused(record('Tags', 'Many.', { tags: Array.from({ length: 64 }, (_, n) => `t${n}`) }), 'INVALID_ARGUMENT')).fields,
    ).toMatchObject({ field: 'tags' })
    await refused(record('', 'x'), 'INVALID_ARGUMENT')
  })
})
