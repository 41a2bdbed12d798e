import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { DEFAULT_CONFIG } from '../../../shared/engine/config.ts'
import { createEngine } from '../../../shared/engine/create.ts'
import type { Models } from '../../../shared/engine/ports.ts'
import { openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { testModels } from '../../helpers/models.ts'
import { countStores } from '../../helpers/store-counts.ts'

type Entry = CallInputOf<'memory.import'>['entries'][number]

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'
const TEA = 'Ada prefers green tea in the morning.'

let loom: TestEngine
let now = Date.parse('2026-03-02T10:00:00Z')
let spaces = 0
let models: Models
/** Texts that the model was asked for. */
const embedded: string[] = []
beforeAll(async () => {
  const real = await testModels()
  const { embedder } = real
  if (!embedder) throw new Error('no embedder')
  const embed = (texts: readonly string[]): Promise<Float32Array[]> => (embedded.push(...texts), embedder.embed(texts))
  models = Object.create(real, { embedder: { value: Object.create(embedder, { embed: { value: embed } }) } })
  loom = await openTestEngine({ clock: () => now, models })
})
afterAll(() => loom.close())

const keyOf = (text: string): string => `import:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
const reasons = ({ results }: OutputOf<'memory.import'>): string[] => results.map(({ outcome, reason }) => `${outcome} ${reason}`.trim())
const notes = ({ results }: OutputOf<'memory.import'>) => results.map(({ note }) => note)

async function space(policy: 'flag' | 'newest_wins' = 'flag') {
  const namespace = `t${++spaces}`
  await loom.call('namespace.register', { namespace, default_conflict_policy: policy })
  return {
    namespace,
    take: (entries: readonly Entry[], more: Partial<CallInputOf<'memory.import'>> = {}) =>
      loom.call('memory.import', { namespace, entries: [...entries], ...more }),
    set: (memory_key: string, value: string) => loom.call('memory.set', { namespace, memory_key, value }),
    status: async (text: string) => (await loom.call('memory.get', { namespace, memory_key: keyOf(text), follow: false })).status,
    category: (more: object = {}) =>
      loom.call('namespace.register_category', { namespace, category: 'Habits', description: 'What people do.', ...more }),
    assign: (memory_key: string, rescind = false) =>
      loom.call('memory.assign_category', { namespace, memory_key, category: 'habits', rescind }),
    links: () =>
      sql<{ memory_key: string; rescinded: boolean; actor: string }>`SELECT memory_key, rescinded_at IS NOT NULL AS rescinded, actor
        FROM loom.memory_category WHERE namespace = ${namespace} ORDER BY memory_key`
        .execute(loom.database.reader)
        .then(({ rows }) => rows),
  }
}

describe('where the newest wins', () => {
  it('an import retires what it updates [IMP008]', async () => {
    const { namespace, take, set } = await space('newest_wins')
    await set('deploy/window', HELD)
    expect(reasons(await take([{ text: AGAINST }], { dry_run: true }))).toEqual(['written refines'])
    expect(reasons(await take([{ text: AGAINST }]))).toEqual(['written refines'])
    expect(await loom.call('memory.get', { namespace, memory_key: 'deploy/window', follow: false })).toMatchObject({ status: 'superseded' })
  })

  it.each([
    [
      'the later said',
      [
        { text: HELD, valid_at: '2025-05-01' },
        { text: AGAINST, valid_at: '2024-05-01' },
      ],
      HELD,
    ],
    ['the undated, which is said now', [{ text: HELD }, { text: AGAINST, valid_at: '2024-05-01' }], HELD],
    ['what is said for later', [{ text: HELD, valid_at: '2031-01-01' }, { text: AGAINST }], HELD],
    [
      'of equal dates the later named',
      [
        { text: HELD, valid_at: '2025-05-01' },
        { text: AGAINST, valid_at: '2025-05-01' },
      ],
      AGAINST,
    ],
    ['of two undated the later named', [{ text: HELD }, { text: AGAINST }], AGAINST],
  ] as const)('of two entries of a call stays %s [IMP068, IMP069, IMP070]', async (_which, entries, stays) => {
    const { take, status } = await space('newest_wins')
    const expected = entries.map(({ text }) => (text === stays ? 'written refines' : 'written'))
    expect(reasons(await take(entries, { dry_run: true }))).toEqual(expected)
    expect(reasons(await take(entries))).toEqual(expected)
    expect(await Promise.all(entries.map(({ text }) => status(text)))).toEqual(
      entries.map(({ text }) => (text === stays ? 'active' : 'superseded')),
    )
    expect(reasons(await take(entries))).toEqual(entries.map(({ text }) => (text === stays ? 'skipped unchanged' : 'skipped superseded')))
  })

  it('the entry that lost is in its category all the same [IMP050]', async () => {
    const { take, category, links } = await space('newest_wins')
    await category()
    expect(notes(await take([{ text: HELD, category: 'habits' }, { text: AGAINST }]))).toEqual([undefined, undefined])
    expect(await links()).toMatchObject([{ memory_key: keyOf(HELD), rescinded: false }])
  })
})

describe('a category', () => {
  it('is linked as memory.assign_category links one, once the key holds the fact [IMP041, IMP042, IMP048, IMP049]', async () => {
    const { namespace, take, category, assign, links } = await space()
    await category()
    await loom.call('memory.import', { namespace, entries: [{ text: HELD }] })
    const entries = [
      { text: TEA, category: 'HABITS' },
      { text: HELD, category: 'habits' },
    ]
    const answer = await take(entries)
    expect([reasons(answer), notes(answer)]).toEqual([
      ['written', 'skipped unchanged'],
      [undefined, undefined],
    ])
    await loom.call('memory.set', { namespace, memory_key: 'a', value: 'The lift is green.' })
    await assign('a')
    const made = await links()
    expect(made.map((link) => link.memory_key)).toEqual(['a', keyOf(TEA), keyOf(HELD)].sort())
    expect(new Set(made.map(({ actor, rescinded }) => JSON.stringify([actor, rescinded]))).size).toBe(1)
    const found = await loom.call('memory.list', { namespace, category: 'habits' })
    expect(found.rows.map((row) => row.memory_key)).toContain(keyOf(TEA))
    const { rows } = await loom.call('audit.list', { namespace })
    expect(rows.filter((row) => row.op === 'memory.import')).toHaveLength(4)
    await assign(keyOf(TEA), true)
    expect(notes(await take(entries))).toEqual(['category_rescinded', undefined])
    expect((await links()).find((link) => link.memory_key === keyOf(TEA))).toMatchObject({ rescinded: true })
  })

  it('is named in a note where it is not linked, whatever the outcome [IMP044, IMP045, IMP046, IMP047, IMP049]', async () => {
    const { namespace, take, category, set, links } = await space()
    expect((await take([{ text: TEA, category: 'habits' }])).results).toEqual([
      { index: 0, key: keyOf(TEA), outcome: 'written', reason: '', note: 'category_unregistered' },
    ])
    await category()
    await set('deploy', HELD)
    const held = await take([{ text: HELD, category: 'habits' }])
    expect(held.results).toMatchObject([{ outcome: 'held', reason: 'identity_duplicate', note: 'category_not_linked' }])
    const claims = { ...localClaims('human', 'local'), user_id: 'u1' }
    const call = { namespace, entries: [{ text: 'The lift is green.', category: 'habits' }] }
    expect((await loom.call('memory.import', call, { claims })).results).toMatchObject([{ outcome: 'written', note: 'category_refused' }])
    const assigned = loom.call(
      'memory.assign_category',
      { namespace, memory_key: keyOf('The lift is green.'), category: 'habits' },
      { claims },
    )
    await expect(assigned).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await links()).toEqual([])
    // A retired category is none.
    await category({ retired: true })
    expect(notes(await take([{ text: AGAINST, category: 'habits' }]))).toEqual(['category_unregistered'])
  })
})

describe('a dry run', () => {
  const entries: Entry[] = [
    { text: HELD },
    { text: AGAINST, category: 'habits' },
    { text: 'production deploys run monday to thursday' },
    { text: TEA, category: 'habits' },
    { text: 'Green tea is what Ada prefers in the morning.' },
    { text: TEA, category: 'habits' },
    { text: 'ADA prefers green tea in the morning' },
    { text: 'The vault word is kept by 4111 1111 1111 1111.' },
  ]

  it.each(['flag', 'newest_wins'] as const)(
    'answers what the real run does under %s, and stores nothing [IMP052, IMP053, IMP058]',
    async (policy) => {
      const { take, category, links } = await space(policy)
      await category()
      // Counters of what was read before are written within a second.
      await new Promise((resolve) => setTimeout(resolve, 1100))
      const before = await countStores(loom.database)
      const usage = () =>
        sql`SELECT (SELECT count(*) FROM loom.memory_usage) AS usage, (SELECT count(*) FROM loom.run_event) AS told`.execute(
          loom.database.reader,
        )
      const used = (await usage()).rows
      const dry = await take(entries, { dry_run: true })
      expect([await countStores(loom.database), await links(), (await usage()).rows]).toEqual([before, [], used])
      expect(dry.dry_run).toBe(true)
      const real = await take(entries)
      expect({ ...dry, dry_run: false }).toEqual(real)
      expect(real.totals.written).toBeGreaterThan(3)
      expect(new Set(real.results.map((result) => result.outcome))).toEqual(new Set(['written', 'held', 'skipped']))
    },
  )

  it('keeps the vectors that it made for the run that follows [IMP054]', async () => {
    const { namespace, take } = await space()
    const fresh = [
      { text: 'The roof was tarred in August.' },
      { text: 'The card is 4111 1111 1111 1111.' },
      { text: 'Kim keeps the spare key.' },
    ]
    await loom.call('memory.import', { namespace, entries: [{ text: 'Kim keeps the spare key.' }] })
    embedded.length = 0
    await take(fresh, { dry_run: true })
    expect(embedded).toEqual(['The roof was tarred in August.'])
    const cached = () =>
      sql<{ at: Date }>`SELECT at FROM loom.embedding_cache WHERE namespace = ${namespace}`
        .execute(loom.database.reader)
        .then(({ rows }) => rows)
    expect(await cached()).toHaveLength(1)
    // Another process, which remembers nothing.
    const options = { host: 'desktop', mode: 'single', config: DEFAULT_CONFIG, jobs: 'manual', log: pino({ level: 'silent' }) } as const
    await using other = await createEngine({ ...options, database: loom.database, models, clock: () => now })
    embedded.length = 0
    await other.run('memory.import', { namespace, entries: fresh }, testCaller())
    // At its start it looks for what the store has without a vector.
    expect(embedded.filter((text) => fresh.some((entry) => text.includes(entry.text)))).toEqual([])
    now += 2 * 86_400_000
    await take([{ text: 'The gate squeaks.' }], { dry_run: true })
    expect(await cached()).toHaveLength(1)
  })

  it('is a preview: what changes before the run may change its outcome [IMP056]', async () => {
    const { namespace, take, set } = await space()
    await set('deploy', HELD)
    expect(reasons(await take([{ text: AGAINST }], { dry_run: true }))).toEqual(['written conflicted'])
    await loom.call('memory.delete', { namespace, memory_key: 'deploy' })
    expect(reasons(await take([{ text: AGAINST }]))).toEqual(['written'])
  })
})
