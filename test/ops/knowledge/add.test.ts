import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { makePdf } from '../../helpers/pdf.ts'
import { countStores } from '../../helpers/store-counts.ts'

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

const add = (input: CallInputOf<'knowledge.add'>): Promise<OutputOf<'knowledge.add'>> => loom.call('knowledge.add', input)
const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64')
const DEPLOY = '# Deploy\n## Windows\nProduction deploys run Tuesday and Thursday.'

describe('knowledge.add', () => {
  test('[API003] stores a document, which is no memory', async () => {
    const before = await countStores(loom.database)
    const made = await add({ collection: 'runbooks', source: 'docs/deploy.md', text: DEPLOY, tags: ['deploy'] })
    expect(made).toMatchObject({
      document_key: 'docs/deploy.md',
      collection: 'runbooks',
      title: 'Deploy',
      format: 'markdown',
      created: true,
      noop: false,
      chunks_written: 1,
      sections: [['Deploy', 'Windows']],
      chunks_withheld: 0,
      embedded: true,
      degraded: [],
      dry_run: false,
    })
    expect(made.document_id).toMatch(/^d_[0-9a-f]{24}$/)
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
  })

  test('[KEY021] is found by the words of a heading, with the body under it', async () => {
    const { results } = await loom.call('knowledge.search', { query: 'windows of deploy', collections: ['runbooks'] })
    expect(results[0]).toMatchObject({
      document_key: 'docs/deploy.md',
      section: ['Deploy', 'Windows'],
      lines: { from: 3, to: 3 },
      chunk: 0,
      excerpt: 'Production deploys run Tuesday and Thursday.',
      source: 'docs/deploy.md',
    })
    expect(results[0]?.why.join()).toContain('heading: ')
  })

  test('the same bytes and fields write nothing; changed ones replace text, chunks and vectors, and keep the id', async () => {
    const first = await add({ document_key: 'again', text: '# A\nOne about otters.\n# B\nTwo about herons.' })
    const same = await add({ document_key: 'again', text: '# A\nOne about otters.\n# B\nTwo about herons.' })
    expect(same).toMatchObject({ document_id: first.document_id, version: first.version, created: false, noop: true, chunks_written: 0 })
    const changed = await add({ document_key: 'again', text: '# A\nOnly badgers now.' })
    expect(changed).toMatchObject({ document_id: first.document_id, created: false, noop: false, chunks_written: 1 })
    expect(changed.version > first.version).toBe(true)
    expect((await loom.call('knowledge.search', { query: 'herons' })).results).toEqual([])
    const { rows } = await sql<{ rows: number }>`SELECT count(*)::int AS rows FROM loom.knowledge_embedding
      WHERE org = 'dev' AND document_id = ${first.document_id}`.execute(loom.database.reader)
    expect(rows[0]?.rows).toBe(1)
    expect(await add({ document_key: 'again', text: '# A\nOnly badgers now.', tags: ['x'] })).toMatchObject({ noop: false })
  })

  test('two at once of one key leave one document', async () => {
    const both = await Promise.all([
      add({ document_key: 'twin', text: 'Said at once.' }),
      add({ document_key: 'twin', text: 'Said at once.' }),
    ])
    expect(both.filter((one) => one.created)).toHaveLength(1)
    expect(new Set(both.map((one) => one.document_id)).size).toBe(1)
    expect((await loom.call('knowledge.get', { document_key: 'twin', include: 'chunks' })).chunk_list).toHaveLength(1)
  })

  test('takes PDF and HTML by their bytes, and says what it read', async () => {
    const pdf = makePdf({ pages: ['Cover', 'Valves are checked in March.'], title: 'Boiler', outline: [{ title: 'Checks', page: 2 }] })
    expect(await add({ content_base64: base64(pdf), source: 'boiler.bin' })).toMatchObject({
      format: 'pdf',
      title: 'Boiler',
      chunks_written: 2,
    })
    expect((await loom.call('knowledge.search', { query: 'When are valves checked?' })).results[0]).toMatchObject({
      section: ['Checks'],
      page: 2,
      lines: null,
    })
    const html = '<!doctype html><title>Kettle</title><h1>Use</h1><p>Fill it with water.</p>'
    expect(await add({ text: html })).toMatchObject({ format: 'html', title: 'Kettle', sections: [['Use']] })
    expect(await add({ content_base64: base64('plain words in a file'), source: 'a.md' })).toMatchObject({ format: 'markdown' })
    expect(await add({ content_base64: base64('plain words in another') })).toMatchObject({
      format: 'text',
      document_key: expect.stringMatching(/^doc:[0-9a-f]{24}$/),
    })
  })

  test('keeps the original bytes until they are replaced', async () => {
    const bytes = makePdf({ pages: ['Original words.'] })
    const made = await add({ document_key: 'kept', content_base64: base64(bytes) })
    const read = await loom.call('knowledge.get', { document_id: made.document_id, include: 'original' })
    expect(read.content_base64).toBe(base64(bytes))
    await add({ document_key: 'kept', text: 'Other words.', format: 'markdown' })
    expect((await loom.call('knowledge.get', { document_id: made.document_id, include: 'original' })).content_base64).toBe(
      base64('Other words.'),
    )
  })

  test('a chunk with a secret is neither embedded nor found, and still read', async () => {
    const text = '# Open\nThe lounge is upstairs.\n# Closed\nThe key is sk_live_4eC39HqLyjWDarjtT1zdp7dc.'
    expect(await add({ document_key: 'mixed', text })).toMatchObject({ chunks_written: 2, chunks_withheld: 1, embedded: true })
    expect((await loom.call('knowledge.search', { query: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc' })).results).toEqual([])
    const read = await loom.call('knowledge.get', { document_key: 'mixed', include: 'chunks' })
    expect(read.chunk_list?.map((chunk) => chunk.sensitivity)).toEqual(['', 'high'])
    expect(read.sensitivity).toBe('high')
    expect(await add({ document_key: 'all', text: 'Plain words.', sensitivity: 'high' })).toMatchObject({
      chunks_withheld: 1,
      embedded: true,
    })
    const { rows } = await sql<{ rows: number }>`SELECT count(*)::int AS rows FROM loom.knowledge_embedding e JOIN loom.knowledge_chunk c
      ON c.org = e.org AND c.document_id = e.document_id AND c.chunk_index = e.chunk_index WHERE c.org = 'dev' AND c.sensitivity = 'high'`.execute(
      loom.database.reader,
    )
    expect(rows[0]?.rows).toBe(0)
  })

  test('a dry run says what would be, and writes nothing', async () => {
    expect(await add({ document_key: 'dry', text: DEPLOY, dry_run: true })).toMatchObject({
      created: true,
      dry_run: true,
      chunks_written: 0,
    })
    expect((await loom.call('knowledge.get', { document_key: 'dry' })).found).toBe(false)
  })

  test('refuses what it was not read for', async () => {
    const { content_sha256 } = await add({ document_key: 'guarded', text: 'First.' })
    const error = await refused(add({ document_key: 'guarded', text: 'Second.', if_match_sha256: 'a'.repeat(64) }), 'PRECONDITION_FAILED')
    expect(error.fields).toMatchObject({ current_sha256: content_sha256 })
    expect(await add({ document_key: 'guarded', text: 'Second.', if_match_sha256: content_sha256 })).toMatchObject({ noop: false })
  })

  test.each([
    ['both contents', { text: 'a', content_base64: 'YQ==' }, 'INVALID_ARGUMENT'],
    ['neither', {}, 'INVALID_ARGUMENT'],
    ['no base64', { content_base64: 'not base64!' }, 'INVALID_ARGUMENT'],
    ['a PDF as text', { text: '%PDF-1.4', format: 'pdf' }, 'INVALID_ARGUMENT'],
    ['an encrypted PDF', { content_base64: base64(makePdf({ pages: ['x'], encrypted: true })) }, 'INVALID_ARGUMENT'],
    ['a PDF of pictures', { content_base64: base64(makePdf({ pages: ['', ''] })) }, 'INVALID_ARGUMENT'],
    ['nothing but space', { text: ' \n ' }, 'INVALID_ARGUMENT'],
    ['NUL', { text: 'a\0b' }, 'INVALID_ARGUMENT'],
    ['a lone surrogate', { text: 'a\ud800b' }, 'INVALID_ARGUMENT'],
    ['a collection that is no name', { text: 'a', collection: 'Not A Name' }, 'INVALID_ARGUMENT'],
    ['more than a request holds', { content_base64: 'A'.repeat(60_000_000) }, 'PAYLOAD_TOO_LARGE'],
  ] as const)('refuses %s', async (_what, input, code) => {
    await refused(add(input), code)
  })

  test('lets nobody name a class that is stamped from the token', async () => {
    for (const source_class of ['user', 'agent', 'system'] as const) {
      const asked = { document_key: 'forged', text: 'A person said so.', source_class }
      await expect(loom.call('knowledge.add', asked)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'source_class' } })
    }
    expect(await loom.call('knowledge.get', { document_key: 'forged' })).toMatchObject({ found: false })
  })

  test('takes any script, and long documents in parts that end between sentences', async () => {
    await add({ document_key: 'ja', text: `# 配備\n${'本番は火曜日に配備する。'.repeat(300)}` })
    const { chunk_list } = await loom.call('knowledge.get', { document_key: 'ja', include: 'chunks', max_chars: 1_000_000 })
    expect(chunk_list?.length).toBe(3)
    expect(chunk_list?.every((chunk) => chunk.text.endsWith('。'))).toBe(true)
    expect((await loom.call('knowledge.search', { query: '火曜日 配備' })).results[0]).toMatchObject({ document_key: 'ja' })
  })
})
