import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores, reinforcementOf } from '../../helpers/store-counts.ts'

type Entry = CallInputOf<'memory.bulk_set'>['entries'][number]

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ config: { bulkConflictChecks: 20 } })
})
afterAll(() => loom.close())

/** A namespace of its own for each test. */
function space() {
  const namespace = `b${++spaces}`
  return {
    namespace,
    bulk: (entries: Entry[], more: Partial<CallInputOf<'memory.bulk_set'>> = {}) =>
      loom.call('memory.bulk_set', { namespace, entries, ...more }),
    set: (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
      loom.call('memory.set', { namespace, memory_key, value, ...more }),
    get: (memory_key: string) => loom.call('memory.get', { namespace, memory_key }),
  }
}

const numbered = (count: number, from = 0): Entry[] =>
  Array.from({ length: count }, (_, at) => ({
    memory_key: `n/${from + at}`,
    value: `Meter ${from + at} of building ${(from + at) % 7}.`,
    memory_type: 'episodic',
  }))

describe('memory.bulk_set', () => {
  it('gives each entry its own verdict, in the list that it belongs to [BLK002, BLK004, BLK005, BLK009]', async () => {
    const { namespace, bulk, set, get } = space()
    await set('deploy/window/prod', HELD)
    await set('team/lead', 'Ada leads the platform team.')
    const answer = await bulk([
      { memory_key: 'office/plants', value: 'The office plants are watered by Kim.', tags: ['office'] },
      { memory_key: 'ops/deploys', value: AGAINST },
      { memory_key: 'team/lead2', value: 'ada leads  the platform team' },
      { memory_key: 'team/boss', value: 'The platform team is led by Ada.' },
    ])
    expect(answer.written.map(({ index, status, conflict_verdict }) => ({ index, status, conflict_verdict }))).toEqual([
      { index: 0, status: 'active', conflict_verdict: 'clear' },
      { index: 1, status: 'conflicted', conflict_verdict: 'conflict' },
      { index: 3, status: 'duplicate', conflict_verdict: 'duplicate' },
    ])
    expect(answer.merged).toMatchObject([{ index: 2, memory_key: 'team/lead2', merged_into_key: 'team/lead' }])
    expect(answer.duplicates).toMatchObject([{ index: 3, memory_key: 'team/boss' }])
    expect(answer.conflicted).toMatchObject([{ index: 1, memory_key: 'ops/deploys' }])
    expect(answer.written[1]?.peers[0]).toMatchObject({ memory_key: 'deploy/window/prod', relation: 'contradicts' })
    expect(answer.written[1]?.next).toBe("memory.update(memory_key='deploy/window/prod', value=…)")
    expect(answer).toMatchObject({ unchecked: 0, failed: [], refused: [], dry_run: false, degraded: [] })
    expect(await get('office/plants')).toMatchObject({ tags: ['office'], conflict_verdict: 'clear' })
    const found = await loom.call('memory.search', { namespace, query: 'who looks after the plants in the office' })
    expect(found.results[0]?.memory_key).toBe('office/plants')
  })

  it('judges later entries against earlier ones, and revises a key that comes twice [BLK012]', async () => {
    const { bulk, get } = space()
    const answer = await bulk([
      { memory_key: 'deploy/window/prod', value: HELD },
      { memory_key: 'ops/deploys', value: AGAINST },
      { memory_key: 'office/city', value: 'The office is in Lisbon.' },
      { memory_key: 'office/city', value: 'The office is in Porto.' },
    ])
    expect(answer.conflicted).toMatchObject([{ index: 1 }])
    expect(answer.written.map((row) => row.index)).toEqual([0, 1, 2, 3])
    expect(answer.written[3]?.version).toBeGreaterThan(answer.written[2]?.version ?? 0n)
    expect(await get('office/city')).toMatchObject({ value: 'The office is in Porto.' })
  })

  it('lists what a pin, a lock, a pinned peer, the blacklist and a limit refuse, and goes on [BLK006, BLK007, BLK009]', async () => {
    const { namespace, bulk, set, get } = space()
    await set('deploy/window/prod', HELD, { pinned: true })
    await set('locked/one', 'The vault code is kept by Lena.')
    await loom.call('memory.lock', { namespace, memory_key: 'locked/one', reason: 'audit' })
    const { blacklist_id } = await loom.call('blacklist.add', { namespace, pattern: 'project nightfall', reason: 'secret project' })
    const before = await countStores(loom.database)
    const answer = await bulk([
      { memory_key: 'deploy/window/prod', value: 'Something else entirely.' },
      { memory_key: 'locked/one', value: 'The vault code is kept by Mara.' },
      { memory_key: 'ops/deploys', value: AGAINST },
      { memory_key: 'leak', value: 'Project NIGHTFALL starts in May.' },
      { memory_key: 'short', value: 'This is longer than five.', char_limit: 5 },
      { memory_key: 'fine/one', value: 'The canteen opens at eleven.' },
      { memory_key: 'fine/two', value: 'Bicycles are parked behind the hall.' },
    ])
    expect(answer.skipped_pinned).toEqual([{ index: 0, memory_key: 'deploy/window/prod' }])
    expect(answer.skipped_locked).toEqual([{ index: 1, memory_key: 'locked/one' }])
    expect(answer.rejected_pinned).toMatchObject([
      { index: 2, memory_key: 'ops/deploys', peers: [{ memory_key: 'deploy/window/prod', relation: 'pinned' }] },
    ])
    expect(answer.skipped_blacklisted).toEqual([{ index: 3, memory_key: 'leak', blacklist_id, reason: 'secret project' }])
    expect(answer.refused).toMatchObject([{ index: 4, memory_key: 'short', code: 'CHAR_LIMIT_EXCEEDED' }])
    expect(answer.written.map((row) => row.index)).toEqual([5, 6])
    const after = await countStores(loom.database)
    expect([after.versions - before.versions, after.audit - before.audit]).toEqual([2, 2])
    expect((await get('locked/one')).value).toBe('The vault code is kept by Lena.')
  })

  it('a sensitivity that is detected holds: by key only, not judged, no vector [BLK009]', async () => {
    const { bulk, get } = space()
    const { written } = await bulk([{ memory_key: 'card', value: 'The travel card is 4111 1111 1111 1111.' }])
    expect(written).toMatchObject([{ conflict_verdict: '', status: 'active' }])
    expect(await get('card')).toMatchObject({ sensitivity: 'high', conflict_verdict: '' })
    expect(
      await loom.database.reader
        .selectFrom('memory_embedding')
        .select('axis')
        .where('memory_id', '=', written[0]?.memory_id ?? '')
        .execute(),
    ).toEqual([])
  })

  it('an equal value only reinforces, whatever else the entry names; its label stays [BLK010, BLK011, LIM006]', async () => {
    const { bulk, set, get } = space()
    const row = await set('pet', 'The office cat is called Miso.', { tags: ['pets'], sensitivity: 'medium', confidence: 0.5 })
    const before = await countStores(loom.database)
    const answer = await bulk([
      { memory_key: 'pet', value: 'The office cat is called Miso.', tags: ['other'], ttl_seconds: 600, confidence: 1, pinned: true },
    ])
    expect(answer.unchanged).toEqual([{ index: 0, memory_key: 'pet', memory_id: row.memory_id }])
    expect(answer.written).toEqual([])
    expect(await countStores(loom.database)).toEqual(before)
    expect(await reinforcementOf(loom.database, row.memory_id)).toBe(1)
    expect(await get('pet')).toMatchObject({
      tags: ['pets'],
      sensitivity: 'medium',
      confidence: 0.5,
      expires_at: null,
      pinned: false,
      version: row.version,
    })
    await set('pet', 'The office cat is called Miso.')
    expect(await get('pet')).toMatchObject({ sensitivity: '' })
  })

  it('an equal value passes a read_only lock and its own old char_limit [BLK011]', async () => {
    const { namespace, bulk, set } = space()
    await set('pet', 'The office cat is called Miso.')
    await loom.call('memory.lock', { namespace, memory_key: 'pet', reason: 'audit' })
    expect(
      (await bulk([{ memory_key: 'pet', value: 'The office cat is called Miso.', ttl_seconds: 60, char_limit: 3 }])).unchanged,
    ).toHaveLength(1)
  })

  it('past the cap entries are written without a verdict, and equal text of the identity still merges [BLK008, CFG002]', async () => {
    const { bulk, get, set } = space()
    await set('team/lead', 'Ada leads the platform team.')
    await set('deploy/window/prod', HELD)
    const entries = [
      ...numbered(20),
      { memory_key: 'ops/deploys', value: AGAINST },
      { memory_key: 'team/lead2', value: 'ada leads the platform team.' },
      ...numbered(3, 50),
    ]
    const answer = await bulk(entries)
    expect(answer.unchecked).toBe(4)
    expect(answer.written).toHaveLength(24)
    expect(answer.written.find((row) => row.index === 20)).toMatchObject({ status: 'active', conflict_verdict: '', peers: [] })
    expect(answer.merged).toMatchObject([{ index: 21, merged_into_key: 'team/lead' }])
    expect(await get('ops/deploys')).toMatchObject({ status: 'active', conflict_verdict: '' })
  })

  it('takes 1,000 entries, and refuses 1,001 whole [BLK001]', async () => {
    const { namespace, bulk } = space()
    await expect(bulk(numbered(1001))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'entries' } })
    expect((await loom.call('memory.list', { namespace, with_total: true })).total).toBe(0)
    // Repetitions of one fact: as many entries, and few rows to write.
    const answer = await bulk(
      numbered(1000).map(() => ({ memory_key: 'n/0', value: 'Meter 0 of building 0.', memory_type: 'episodic' as const })),
    )
    expect([answer.written.length, answer.unchanged.length]).toEqual([1, 999])
    expect(await reinforcementOf(loom.database, answer.written[0]?.memory_id ?? '')).toBe(999)
  }, 90_000)
})
