import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

function space() {
  const namespace = `q${++spaces}`
  const set = (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more })
  const queue = (more: Partial<CallInputOf<'review.queue'>> = {}) => loom.call('review.queue', { namespace, ...more })
  return { namespace, set, queue }
}

describe('review.queue', () => {
  it('holds conflicts and duplicates, newest first, with counts and what one click sends', async () => {
    const { set, queue, namespace } = space()
    await set('deploy/window/prod', HELD)
    await set('ops/deploys', AGAINST)
    await set('fact/a', 'The archive is rebuilt every night.', { run_id: 'r1' })
    await set('fact/b', 'The archive is rebuilt every night.', { run_id: 'r2' })
    const { items, counts, next_cursor } = await queue()
    expect(counts).toEqual({ conflict: 1, duplicate: 1, proposal: 0, sync: 0, low_confidence: 0, total: 2 })
    expect(items.map((item) => [item.kind, item.row.memory_key, item.peer?.memory_key, item.peers_more])).toEqual([
      ['duplicate', 'fact/b', 'fact/a', 0],
      ['conflict', 'ops/deploys', 'deploy/window/prod', 0],
    ])
    expect([items[1]?.unsure, items[1]?.sync, next_cursor]).toEqual([false, null, null])
    expect(items[1]?.actions.map((one) => one.action)).toEqual(['keep_row', 'keep_peer', 'keep_both', 'merge'])
    const one = await queue({ limit: 1 })
    expect((await queue({ limit: 1, cursor: one.next_cursor ?? '' })).items[0]?.kind).toBe('conflict')
    const only = await queue({ kinds: ['duplicate'] })
    expect([only.items.length, only.counts.total]).toEqual([1, 2])
    const [keep] = items[1]?.actions ?? []
    await loom.call('conflicts.resolve', { namespace, ...(keep?.arguments as { pair_id: string; resolution: 'keep_row' }) })
    expect((await queue()).counts).toMatchObject({ conflict: 0, duplicate: 1, total: 1 })
  })

  it('counts the further pairs of a row', async () => {
    const { set, queue } = space()
    await set('a', 'The maintenance window of cluster alpha starts at 2:00.')
    await set('b', 'The maintenance window of cluster alpha starts at 4:00.')
    const { pairs } = await loom.call('conflicts.list', { namespace: `q${spaces}` })
    await loom.call('conflicts.resolve', { namespace: `q${spaces}`, pair_id: pairs[0]?.pair_id ?? '', resolution: 'keep_both' })
    await set('c', 'The maintenance window of cluster alpha starts at 15:00.')
    const { items, counts } = await queue()
    expect(items.map((item) => [item.row.memory_key, item.peers_more])).toEqual([
      ['c', 1],
      ['c', 1],
    ])
    expect(counts.conflict).toBe(2)
  })

  it('an unsure finding about a row that is active is a question, which can be dismissed and put back', async () => {
    const { set, queue, namespace } = space()
    await set('fact/a', 'The archive is rebuilt every night.', { run_id: 'r1' })
    const twin = await set('fact/b', 'The archive is rebuilt every night.', { run_id: 'r2' })
    // What the judge is not sure of depends on its calibration: make this finding one of those.
    await loom.database.transaction(async (tx) => {
      await tx.updateTable('memory_pair').set({ unsure: true, confidence: 0.4 }).where('row_id', '=', twin.memory_id).execute()
      await tx.updateTable('memory').set({ status: 'active' }).where('memory_id', '=', twin.memory_id).execute()
    })
    const { items, counts } = await queue()
    expect(counts).toMatchObject({ low_confidence: 1, total: 1 })
    expect(items[0]).toMatchObject({ kind: 'low_confidence', unsure: true, confidence: 0.4 })
    expect(items[0]?.actions.at(-1)).toEqual({
      action: 'dismiss',
      op: 'review.dismiss',
      arguments: { namespace, item_id: items[0]?.item_id },
    })
    const item_id = items[0]?.item_id ?? ''
    expect(await loom.call('review.dismiss', { namespace, item_id })).toEqual({ found: true, dismissed: true })
    expect(await loom.call('review.dismiss', { namespace, item_id })).toEqual({ found: true, dismissed: true })
    expect((await queue()).counts.total).toBe(0)
    expect(await loom.call('review.dismiss', { namespace, item_id, restore: true })).toEqual({ found: true, dismissed: false })
    expect((await queue()).counts.low_confidence).toBe(1)
    expect(await loom.call('review.dismiss', { namespace, item_id: 'p_x_y' })).toEqual({ found: false, dismissed: false })
  })

  it('a pair that is none of those is settled by its own operation', async () => {
    const { set, queue, namespace } = space()
    await set('deploy/window/prod', HELD)
    await set('ops/deploys', AGAINST)
    const item_id = (await queue()).items[0]?.item_id ?? ''
    await expect(loom.call('review.dismiss', { namespace, item_id })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: { op: 'conflicts.resolve' },
    })
  })
})
