import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '../../../shared/client/create-client.ts'
import { exportNamespace } from '../../../shared/client/exporting/export-namespace.ts'
import { inProcessLink } from '../../../shared/client/in-process-link.ts'
import { reportText } from '../../../shared/client/importing/report-text.ts'
import { runImport, type ImportFile, type ImportOptions } from '../../../shared/client/importing/run-import.ts'
import { NO_MODELS, openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { inPieces, utf8 } from './read.ts'

let loom: TestEngine
let client: Client
beforeAll(async () => {
  loom = await openTestEngine()
  client = createClient(inProcessLink(loom.engine, testCaller()))
})
afterAll(() => loom.close())

const file = (text: string, path = 'facts'): ImportFile => ({ path, size: utf8(text).length, open: () => inPieces(utf8(text), 1000) })
const run = (text: string, more: Partial<ImportOptions> = {}) =>
  runImport(client, [file(text)], { place: { namespace: 'a' }, columns: {}, dryRun: false, ...more })
const lines = (facts: readonly string[]): string =>
  facts.map((memory, at) => JSON.stringify({ id: `f${at}`, memory, created_at: '2024-01-01' })).join('\n')
const FACTS = [
  'The kiln is fired on Mondays.',
  'Sofia keeps the keys of the archive.',
  'The ferry to Kadıköy leaves at six.',
  '茶は毎朝九時に出る。',
]

async function versions(namespace: string): Promise<string> {
  const { rows } = await client.namespace.export({ namespace, section: 'history', limit: 10_000 })
  return JSON.stringify(rows.map((row) => [row['memory_key'], String(row['version'])]))
}

describe('an import', () => {
  it('run dry says what it would come to and stores nothing; run twice writes nothing the second time [IMP012]', async () => {
    const dry = await run(lines(FACTS), { dryRun: true })
    expect(dry).toMatchObject({ dry_run: true, found: 4, totals: { written: 4 } })
    expect((await client.memory.list({ namespace: 'a' })).rows).toEqual([])
    const real = await run(lines(FACTS))
    expect(real).toMatchObject({ found: 4, totals: { written: 4, skipped: 0 }, reasons: { written: 4 }, problem_count: 0 })
    const { rows } = await client.memory.list({ namespace: 'a' })
    expect(rows.map((row) => row.valid_at)).toEqual(Array(4).fill('2024-01-01T00:00:00.000Z'))
    const before = await versions('a')
    expect(await run(lines(FACTS))).toMatchObject({ totals: { written: 0, skipped: 4 }, reasons: { 'skipped unchanged': 4 } })
    expect(await versions('a')).toBe(before)
  })

  it('tells what it left out and could not read, in words that a person reads', async () => {
    const report = await run(
      `${lines(['The oar is made of ash.', 'The oar is made of ash.'])}\n{"id":"z","memory":\n{"id":"q","memory":""}`,
      { place: { namespace: 'b' } },
    )
    expect(report).toMatchObject({
      totals: { written: 1, skipped: 1 },
      reasons: { 'skipped repeated': 1 },
      left: { not_memory: 1 },
      problem_count: 1,
    })
    const text = reportText(report)
    expect(text).toContain('facts: mem0, 2 found')
    expect(text).toMatch(/1 {2}stored/)
    expect(text).toContain('facts, line 3: The line is not JSON')
  })

  it('is cancelled between two calls: what was written stays, and the same import goes on from there', { timeout: 60_000 }, async () => {
    // Without models: what is judged does not matter here, and how many are does.
    const quick = await openTestEngine({ models: NO_MODELS })
    const many = Array.from({ length: 205 }, (_, at) => `Locker ${at} belongs to number ${at * 7}.`)
    const stop = new AbortController()
    const place = { namespace: 'c' }
    const run = (text: string, more: Partial<ImportOptions>) =>
      runImport(createClient(inProcessLink(quick.engine, testCaller())), [file(text)], { place, columns: {}, dryRun: false, ...more })
    const cut = await run(lines(many), { signal: stop.signal, onProgress: ({ totals }) => void (totals.written > 0 && stop.abort()) })
    expect(cut.cancelled).toBe(true)
    expect(cut.totals.written).toBeGreaterThan(0)
    expect(cut.totals.written).toBeLessThan(205)
    const rest = await run(lines(many), {})
    expect(rest.totals.written + rest.totals.skipped + rest.totals.held).toBe(205)
    expect(rest.reasons['skipped unchanged']).toBeGreaterThanOrEqual(cut.totals.written)
    await quick.close()
  })

  it('tells one entry that Loom refuses, and stores those beside it', async () => {
    await client.blacklist.add({ namespace: 'd', pattern: 'swordfish' })
    const report = await run(lines(['The gate word is swordfish.', 'The mill stands by the river.']), { place: { namespace: 'd' } })
    expect(report).toMatchObject({ totals: { written: 1, refused: 1 }, reasons: { 'refused blacklist': 1 } })
    await expect(run(lines(FACTS), { place: { namespace: 'No Such Name' } })).resolves.toMatchObject({
      problem_count: 4,
      totals: { written: 0 },
    })
  })
})

const word = fc.constantFrom('anchor', 'barley', 'candle', 'dune', 'ember', 'fjord', 'gravel', 'harbour', 'iris', 'jetty', '灯台', 'köprü')
const claim = fc.record({
  key: fc.tuple(word, fc.nat({ max: 9 })).map(([a, n]) => `${a}/${n}`),
  value: fc.oneof(
    fc.tuple(word, word, fc.nat({ max: 99 })).map(([a, b, n]) => `The ${a} of the ${b} counts ${n} stones.`),
    fc.record({
      claim: fc.tuple(word, fc.nat()).map(([a, n]) => `Item ${a} has the serial ${n}.`),
      n: fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n }),
    }),
  ),
  agent: fc.constantFrom('one', 'two'),
  user_id: fc.constantFrom('-', 'ada'),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  confidence: fc.constantFrom(1, 0.5, 0.25),
  valid_at: fc.constantFrom(null, '2024-02-29T00:00:00.000Z'),
  memory_type: fc.constantFrom('semantic', 'episodic', 'profile'),
  pinned: fc.boolean(),
})

const KEPT = ['agent', 'user_id', 'session_id', 'memory_key', 'value', 'memory_type', 'status', 'content_sha256', 'tags', 'entities', 'files', 'relations', 'categories', 'confidence', 'pinned', 'sensitivity', 'valid_at', 'valid_to', 'expires_at', 'on_expire', 'source_trace', 'source_resource_id'] as const // prettier-ignore

async function kept(namespace: string): Promise<unknown[]> {
  const { rows } = await client.namespace.export({ namespace, section: 'memory', limit: 10_000 })
  return rows.map((row) =>
    Object.fromEntries([...KEPT.map((name) => [name, row[name]]), ['lock', (row['lock'] as { mode?: string } | null)?.mode ?? null]]),
  )
}

const sorted = (rows: unknown[]): unknown[] =>
  rows.toSorted((a, b) => {
    const [x, y] = [a, b].map((row) =>
      KEPT.slice(0, 4)
        .map((name) => String((row as Record<string, unknown>)[name]))
        .join('\u0000'),
    ) as [string, string]
    return x < y ? -1 : x > y ? 1 : 0
  })

async function exported(namespace: string): Promise<string> {
  const all: string[] = []
  for await (const { text } of exportNamespace(client, { namespace })) all.push(text)
  return all.join('\n')
}

describe('an import of an export', () => {
  it('gives an equal store, whatever it holds', { timeout: 60_000 }, async () => {
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.array(claim, { minLength: 1, maxLength: 12 }), async (claims) => {
        const [from, to] = [`from-${++round}`, `to-${round}`]
        for (const { key, ...one } of claims) await client.call('memory.set', { namespace: from, memory_key: key, ...one }).catch(() => {})
        const text = await exported(from)
        const report = await run(text, { place: { namespace: to } })
        expect(report.problems).toEqual([])
        expect(sorted(await kept(to))).toEqual(sorted(await kept(from)))
        const before = await versions(to)
        await run(text, { place: { namespace: to } })
        expect(await versions(to)).toBe(before)
      }),
      { numRuns: 6 },
    )
  })

  it('brings back links, categories, settings, locks, own expiries and shared copies', async () => {
    const at = { namespace: 'whole', agent: 'one' }
    await client.namespace.register({ namespace: 'whole', description: 'All of it.' })
    await client.namespace.register_category({ namespace: 'whole', category: 'Tools' })
    await client.memory.set({ ...at, memory_key: 'saw', value: 'The saw hangs by the door.' }, {})
    await client.memory.set({ ...at, memory_key: 'file', value: 'Files lie in the second drawer.', ttl_seconds: 86_400 }, {})
    await client.memory.lock({ ...at, memory_key: 'saw', reason: 'kept', mode: 'no_delete' })
    await client.memory.link({ ...at, memory_key: 'saw', to_key: 'file', relation: 'see_also', note: 'both' })
    await client.memory.assign_category({ namespace: 'whole', memory_key: 'saw', category: 'Tools' })
    await client.memory.promote({ ...at, memory_key: 'file' })
    const fields = [
      { name: 'number', type: 'string' as const, identity: true, required: true },
      { name: 'amount', type: 'number' as const },
    ]
    await client.memory_schema.register({ namespace: 'whole', schema: 'ticket', fields })
    await client.memory.record.write({ ...at, schema: 'ticket', fields: { number: 'A-1', amount: 99.5 } })
    await client.memory.record.write({
      ...at,
      schema: 'ticket',
      record_key: 'own',
      fields: { number: 'B-2', amount: { state: 'unknown' } },
    })
    const report = await run(await exported('whole'), { place: { namespace: 'copy' } })
    expect(report.problems).toEqual([])
    expect(sorted(await kept('copy'))).toEqual(sorted(await kept('whole')))
    const links = (await client.namespace.export({ namespace: 'copy', section: 'links' })).rows
    expect(links).toMatchObject([
      { row_kind: 'link', from_key: 'saw', to_key: 'file', note: 'both' },
      { row_kind: 'category', memory_key: 'saw' },
      { row_kind: 'shared', memory_key: 'file' },
    ])
    expect((await client.namespace.get({ namespace: 'copy' })).settings.description).toBe('All of it.')
    const records = async (namespace: string) =>
      (await client.namespace.export({ namespace, section: 'records' })).rows
        .filter((row) => row['row_kind'] === 'record')
        .map((row) => ({ key: String(row['record_key']), sha256: row['content_sha256'], fields: row['fields'] }))
        .toSorted((a, b) => a.key.localeCompare(b.key))
    expect(await records('copy')).toEqual(await records('whole'))
    expect(await records('copy')).toHaveLength(2)
    const again = await run(await exported('whole'), { place: { namespace: 'copy' } })
    expect(again).toMatchObject({ totals: { written: 0 }, problems: [] })
  })
})
