import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores, reinforcementOf } from '../../helpers/store-counts.ts'

type Entry = CallInputOf<'memory.import'>['entries'][number]

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'
const TEA = 'Ada prefers green tea in the morning.'

let loom: TestEngine
let now = Date.parse('2026-03-02T10:00:00Z')
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => now, config: { bulkConflictChecks: 1 } })
})
afterAll(() => loom.close())

const keyOf = (text: string): string => `import:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`

/** A namespace of its own for each test. */
function space() {
  const namespace = `i${++spaces}`
  return {
    namespace,
    take: (entries: readonly Entry[], more: Partial<CallInputOf<'memory.import'>> = {}) =>
      loom.call('memory.import', { namespace, entries: [...entries], ...more }),
    set: (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
      loom.call('memory.set', { namespace, memory_key, value, ...more }),
    get: (text: string) => loom.call('memory.get', { namespace, memory_key: keyOf(text), follow: false }),
  }
}

const told = ({ results }: OutputOf<'memory.import'>): string[] =>
  results.map(({ outcome, reason }) => (reason ? `${outcome} ${reason}` : outcome))

describe('memory.import writes', () => {
  it('what a source knew, under the digest of its text [IMP003, IMP010, IMP039, IMP040, IMP057, IMP059, IMP072]', async () => {
    const { take, get } = space()
    const full = { text: TEA, tags: ['pref'], valid_at: '2025-03-01T12:00:00+02:00', source_trace: 'mem0/81', sensitivity: 'low' as const }
    const answer = await take([
      full,
      { text: 'The archive is rebuilt at night. ' },
      { text: 'The archive is rebuilt at night, from scratch.' },
    ])
    expect(answer.results[0]).toEqual({ index: 0, key: keyOf(TEA), outcome: 'written', reason: '' })
    expect(answer.results[1]?.key).toBe(keyOf('The archive is rebuilt at night. '))
    expect(answer).toMatchObject({ totals: { held: 0, skipped: 0, refused: 0 }, dry_run: false, degraded: [] })
    expect(await get(TEA)).toMatchObject({
      value: TEA,
      memory_type: 'semantic',
      tags: ['pref'],
      valid_at: '2025-03-01T10:00:00.000Z',
      created_at: '2026-03-02T10:00:00.000Z',
      source_class: 'imported',
      source_trace: 'mem0/81',
      sensitivity: 'low',
      conflict_verdict: 'clear',
    })
    const bare = await get('The archive is rebuilt at night. ')
    expect(bare).toMatchObject({ source_trace: keyOf('The archive is rebuilt at night. '), valid_at: null, source_class: 'imported' })
  })

  it('each fact judged, past the cap of a bulk write too, and findable at once [IMP004, IMP006, IMP007, IMP019, IMP059]', async () => {
    const { namespace, take, set } = space()
    await set('deploy/window/prod', HELD)
    const card = 'The card of the office is 4111 1111 1111 1111.'
    const answer = await take([{ text: TEA }, { text: card }, { text: AGAINST }, { text: 'Green tea is what Ada prefers in the morning.' }])
    expect(told(answer)).toEqual(['written', 'written', 'written conflicted', 'written duplicate'])
    const found = await loom.call('memory.search', { namespace, query: 'what does Ada drink in the morning' })
    expect(found.results[0]?.memory_key).toBe(keyOf(TEA))
    const { rows } = await sql<{
      memory_key: string
      axes: string[]
    }>`SELECT m.memory_key, coalesce(array_agg(e.axis::text) FILTER (WHERE e.axis IS NOT NULL), '{}') AS axes
      FROM loom.memory m LEFT JOIN loom.memory_embedding e USING (org, memory_id) WHERE m.namespace = ${namespace} AND m.memory_key LIKE 'import:%'
      GROUP BY m.memory_key`.execute(loom.database.reader)
    const axes = new Map(rows.map((row) => [row.memory_key, row.axes]))
    expect([axes.get(keyOf(TEA)), axes.get(keyOf(card))]).toEqual([['value'], []])
  })

  it('up to 200 entries, and none of a call that is refused [IMP001, IMP002, IMP071]', async () => {
    const { take } = space()
    const before = await countStores(loom.database)
    const many = Array.from({ length: 201 }, (_, at) => ({ text: `Meter ${at} hangs in hall ${at % 9}.`, sensitivity: 'high' as const }))
    await expect(take(many)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'entries' } })
    await expect(take([{ text: TEA }, { tags: [] } as unknown as Entry])).rejects.toMatchObject({ fields: { field: 'entries[1].text' } })
    await expect(take([{ text: ' \n\t' }])).rejects.toMatchObject({ fields: { field: 'entries[0].text' } })
    await expect(take([{ text: TEA, tag: ['x'] }])).rejects.toMatchObject({
      code: 'UNKNOWN_ARGUMENT',
      fields: { field: 'entries[0].tag' },
    })
    const twice = take([{ text: TEA }, { text: HELD }, { text: TEA, tags: ['x'] }])
    await expect(twice).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { fields: ['entries[0]', 'entries[2]'] } })
    expect(await countStores(loom.database)).toEqual(before)
    const whole = await take(many.slice(0, 200), { dry_run: true })
    expect([whole.results.length, Object.values(whole.totals).reduce((sum, one) => sum + one)]).toEqual([200, 200])
  })

  it('one text once: a later entry answers as the first did, or is repeated [IMP064]', async () => {
    const { take, set } = space()
    await set('tea', TEA)
    const twice = [{ text: TEA }, { text: HELD, source_trace: keyOf(HELD) }, { text: HELD }, { text: TEA }]
    const answer = await take(twice)
    expect(told(answer)).toEqual(['held identity_duplicate', 'written', 'skipped repeated', 'held identity_duplicate'])
    expect(answer.results[3]).toEqual({ index: 3, key: keyOf(TEA), outcome: 'held', reason: 'identity_duplicate', held_by: 'tea' })
    expect(told(await take(twice))).toEqual([
      'held identity_duplicate',
      'skipped unchanged',
      'skipped unchanged',
      'held identity_duplicate',
    ])
  })
})

describe('memory.import leaves alone', () => {
  it('what it wrote before, however often it runs [IMP012, IMP014, IMP015, IMP016]', async () => {
    const { take, get, set, namespace } = space()
    const texts = [TEA, HELD, 'The office is in Porto.']
    await take(texts.map((text) => ({ text, tags: ['a'] })))
    const stood = await get(TEA)
    const counts = await countStores(loom.database)
    for (let run = 0; run < 5; run++) {
      const answer = await take([
        { text: TEA, tags: ['b'], valid_at: '2020-01-01', source_trace: 'z', sensitivity: 'medium' },
        { text: HELD },
        { text: 'The office is in Porto.' },
      ])
      expect(told(answer)).toEqual(['skipped sensitivity_kept', 'skipped unchanged', 'skipped unchanged'])
    }
    // Reading it is what counts as serving it.
    expect({ ...(await get(TEA)), served_count: stood.served_count }).toEqual(stood)
    expect(await countStores(loom.database)).toEqual(counts)
    expect(await reinforcementOf(loom.database, stood.memory_id ?? '')).toBe(0)
    await set(keyOf(TEA), TEA, { sensitivity: 'medium' })
    expect(await get(TEA)).toMatchObject({ sensitivity: 'medium' })
    expect(namespace).not.toBe('')
  })

  it('a fact that another key holds, whose reinforcement stays too [IMP016, IMP017, IMP060, IMP061, IMP062]', async () => {
    const { take, set } = space()
    const twin = await set('tea', TEA)
    const secret = 'The vault word of the office is Heron.'
    await set('vault', secret, { sensitivity: 'high' })
    await set('deploy', HELD)
    await set('deploy/other', AGAINST)
    const before = await countStores(loom.database)
    const answer = await take([{ text: TEA }, { text: 'ada prefers green tea in the morning' }, { text: secret }, { text: AGAINST }])
    expect(answer.results.map(({ reason, held_by }) => [reason, held_by])).toEqual([
      ['identity_duplicate', 'tea'],
      ['merge', 'tea'],
      ['identity_duplicate', 'vault'],
      ['identity_duplicate', 'deploy/other'],
    ])
    expect(await countStores(loom.database)).toEqual(before)
    expect(await reinforcementOf(loom.database, twin.memory_id)).toBe(0)
    // A run that is named makes duplicates of what others said, never of the very text of the same identity.
    expect(told(await take([{ text: TEA }], { run_id: 'r' }))).toEqual(['held identity_duplicate'])
  })

  it('an older wording: an edited text is a fact of its own [IMP018]', async () => {
    const { take, get } = space()
    await take([{ text: 'The lift is serviced in spring.' }])
    expect(told(await take([{ text: 'The lift is serviced in spring, by Otis.' }]))).toEqual(['written'])
    expect([(await get('The lift is serviced in spring.')).found, (await get('The lift is serviced in spring, by Otis.')).found]).toEqual([
      true,
      true,
    ])
  })

  it('what a rule refuses, and goes on [IMP005, IMP055, IMP065, IMP067]', async () => {
    const { namespace, take, set } = space()
    await loom.call('memory.pin', { namespace, memory_key: 'deploy/pinned', value: HELD })
    await loom.call('blacklist.add', { namespace, pattern: 'heron' })
    const entries = [{ text: AGAINST }, { text: 'The word is Heron.' }, { text: TEA }]
    expect(told(await take(entries, { dry_run: true }))).toEqual(['refused pinned_peer', 'refused blacklist', 'written'])
    const { patterns } = await loom.call('blacklist.list', { namespace, scope: 'namespace' })
    expect(patterns).toMatchObject([{ hits: 1 }])
    const answer = await take(entries)
    expect(told(answer)).toEqual(['refused pinned_peer', 'refused blacklist', 'written'])
    expect(answer.totals).toEqual({ written: 1, held: 0, skipped: 0, refused: 2 })
    expect((await set('x', 'The word is crane.')).status).toBe('active')
  })
})
