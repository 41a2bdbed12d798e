import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS })
  const guide = [
    'intro words',
    '# Pumps',
    'Pumps are greased weekly.',
    '## Seals',
    'Seals are changed in May.',
    '# Fans',
    'Fans are dusted.',
  ].join('\n\n')
  await loom.call('knowledge.add', { collection: 'plant', source: 'plant/guide.md', text: guide, tags: ['Care'] })
  await loom.call('knowledge.add', {
    collection: 'plant',
    source: 'plant/b.txt',
    text: 'Belts are tightened.',
    format: 'text',
    title: 'Belts',
  })
  await loom.call('knowledge.add', { collection: 'home', source: 'home/a.md', text: '# Oven\nThe oven is cleaned on Sunday.' })
  await loom.call('knowledge.add', { user_id: 'ada', source: 'plant/own.md', collection: 'plant', text: '# Notes\nAda likes seals.' })
})
afterAll(() => loom.close())

const bound = { claims: { ...localClaims('process', 'bot'), user_id: 'ada' } }

describe('knowledge.get', () => {
  test('reads text in parts, by section, and as chunks with their lines', async () => {
    const at = { collection: 'plant', document_key: 'plant/guide.md' }
    const first = await loom.call('knowledge.get', { ...at, max_chars: 20 })
    expect(first).toMatchObject({ found: true, title: 'Pumps', text: 'intro words\n\n# Pumps', next_offset: 20, chunks: 4 })
    const rest = await loom.call('knowledge.get', { ...at, offset: first.next_offset ?? 0 })
    expect(`${first.text}${rest.text}`).toHaveLength(first.chars ?? 0)
    expect(rest.next_offset).toBeNull()
    expect((await loom.call('knowledge.get', { ...at, section: ['Pumps'] })).text).toBe(
      'Pumps are greased weekly.\n\nSeals are changed in May.',
    )
    const chunks = await loom.call('knowledge.get', { ...at, include: 'chunks', max_chars: 60 })
    expect(chunks.chunk_list).toEqual([
      { index: 0, section: [], page: null, lines: { from: 1, to: 1 }, text: 'intro words', sensitivity: '' },
      { index: 1, section: ['Pumps'], page: null, lines: { from: 5, to: 5 }, text: 'Pumps are greased weekly.', sensitivity: '' },
    ])
    expect(chunks.next_offset).toBe(2)
    expect(await loom.call('knowledge.get', { ...at, include: 'none' })).not.toHaveProperty('text')
  })

  test('never cuts a character in two, and answers found = false for what is not there', async () => {
    await loom.call('knowledge.add', { document_key: 'emoji', text: '😀😀' })
    expect(await loom.call('knowledge.get', { document_key: 'emoji', max_chars: 1 })).toMatchObject({ text: '😀', next_offset: 2 })
    expect(await loom.call('knowledge.get', { document_key: 'nowhere' })).toEqual({ found: false })
    expect(await loom.call('knowledge.get', { document_id: 'd_nowhere' })).toEqual({ found: false })
    await refused(loom.call('knowledge.get', {}), 'INVALID_ARGUMENT')
  })

  test('asks whose, where several users have the key', async () => {
    await loom.call('knowledge.add', { user_id: 'ada', document_key: 'shared', text: 'Ada says.' })
    await loom.call('knowledge.add', { user_id: 'bob', document_key: 'shared', text: 'Bob says.' })
    await refused(loom.call('knowledge.get', { document_key: 'shared' }), 'AMBIGUOUS_KEY')
    expect((await loom.call('knowledge.get', { document_key: 'shared', user_id: 'bob' })).text).toBe('Bob says.')
  })
})

describe('knowledge.list and collection.list', () => {
  test('page in order and count', async () => {
    const first = await loom.call('knowledge.list', { collection: 'plant', order: 'title', limit: 2 })
    expect(first.documents.map((one) => one.title)).toEqual(['Belts', 'Notes'])
    expect(first.total).toBe(3)
    const next = await loom.call('knowledge.list', { collection: 'plant', order: 'title', limit: 2, cursor: first.next_cursor ?? '' })
    expect(next.documents.map((one) => one.title)).toEqual(['Pumps'])
    expect(next.next_cursor).toBeNull()
    const byTime = await loom.call('knowledge.list', { collection: 'plant', limit: 1 })
    expect((await loom.call('knowledge.list', { collection: 'plant', limit: 5, cursor: byTime.next_cursor ?? '' })).documents).toHaveLength(
      2,
    )
    expect((await loom.call('knowledge.list', { tags: ['care'] })).documents.map((one) => one.document_key)).toEqual(['plant/guide.md'])
    expect((await loom.call('knowledge.list', { format: 'text' })).total).toBe(1)
    expect((await loom.call('knowledge.list', { source_prefix: 'home/' })).total).toBe(1)
    await refused(loom.call('knowledge.list', { cursor: 'x' }), 'INVALID_CURSOR')
  })

  test('collections are told by name, while they hold a live document', async () => {
    const { collections } = await loom.call('collection.list', { limit: 2 })
    expect(collections.map((one) => one.collection)).toEqual(['default', 'home'])
    const rest = await loom.call('collection.list', { cursor: (await loom.call('collection.list', { limit: 2 })).next_cursor ?? '' })
    expect(rest.collections).toMatchObject([{ collection: 'plant', documents: 3, chunks: 6 }])
    await loom.call('knowledge.add', { collection: 'brief', document_key: 'x', text: 'Short.' })
    await loom.call('knowledge.delete', { collection: 'brief', document_key: 'x' })
    expect((await loom.call('collection.list', {})).collections.map((one) => one.collection)).toEqual(['default', 'home', 'plant'])
  })
})

describe('knowledge.search', () => {
  test('cites document, section and lines, and says what it did without', async () => {
    const { results, degraded } = await loom.call('knowledge.search', { query: 'When are seals changed?', collections: ['plant'] })
    expect(results[0]).toMatchObject({ document_key: 'plant/guide.md', section: ['Pumps', 'Seals'], lines: { from: 9, to: 9 }, chunk: 2 })
    expect(results[0]?.why[0]).toMatch(/^words: .*seals/)
    expect(degraded).toContain('embedder')
  })

  test('says when nothing is near, and refuses a collection that is not there', async () => {
    expect(await loom.call('knowledge.search', { query: 'quantum chromodynamics' })).toMatchObject({ results: [], abstain: true })
    await refused(loom.call('knowledge.search', { query: 'x', collections: ['nowhere'] }), 'NOT_FOUND')
    await refused(loom.call('knowledge.search', { query: '  ' }), 'INVALID_ARGUMENT')
  })

  test('narrows by document, tag and number of passages of one document', async () => {
    const text = Array.from({ length: 6 }, (_, at) => `# Part ${at}\nThe turbine hums in hall ${at}.`).join('\n')
    const { document_id } = await loom.call('knowledge.add', { document_key: 'hum', text, tags: ['noise'] })
    expect((await loom.call('knowledge.search', { query: 'turbine hums' })).results).toHaveLength(3)
    expect((await loom.call('knowledge.search', { query: 'turbine hums', per_document: 5, document_id })).results).toHaveLength(5)
    expect((await loom.call('knowledge.search', { query: 'turbine', tags: ['other'] })).results).toEqual([])
    expect((await loom.call('knowledge.search', { query: 'turbine', tags: ['NOISE'] })).results).toHaveLength(3)
  })

  test('finds what was added or deleted by whatever process, at once', async () => {
    const find = async () => (await loom.call('knowledge.search', { query: 'walrus' })).results.length
    expect(await find()).toBe(0)
    await loom.call('knowledge.add', { document_key: 'zoo', text: 'The walrus sleeps.' })
    expect(await find()).toBe(1)
    // As another process would leave it: no word to this one.
    await loom.database.reader.updateTable('knowledge_document').set({ erased_by: 'er_1' }).where('document_key', '=', 'zoo').execute()
    expect(await find()).toBe(0)
  })
})

describe('a token bound to one user', () => {
  test('reads its own documents and those of everybody, and writes its own alone', async () => {
    const keys = (await loom.call('knowledge.list', { collection: 'plant' }, bound)).documents.map((one) => one.document_key)
    expect(keys.toSorted()).toEqual(['plant/b.txt', 'plant/guide.md', 'plant/own.md'])
    expect((await loom.call('knowledge.get', { document_key: 'shared' }, bound)).text).toBe('Ada says.')
    expect((await loom.call('knowledge.search', { query: 'Bob says' }, bound)).results.map((hit) => hit.excerpt)).not.toContain('Bob says.')
    expect(await loom.call('knowledge.delete', { collection: 'plant', document_key: 'plant/guide.md' }, bound)).toMatchObject({
      found: false,
    })
    expect(await loom.call('knowledge.delete', { document_key: 'shared' }, bound)).toEqual({
      found: true,
      deleted: true,
      chunks_removed: 1,
    })
  })
})

describe('knowledge.delete', () => {
  test('takes it out of every read; adding the key again makes a new version of it', async () => {
    const made = await loom.call('knowledge.add', { document_key: 'gone', text: 'Ferrets live here.' })
    await refused(loom.call('knowledge.delete', { document_key: 'gone', if_match_sha256: 'b'.repeat(64) }), 'PRECONDITION_FAILED')
    expect(await loom.call('knowledge.delete', { document_id: made.document_id })).toEqual({
      found: true,
      deleted: true,
      chunks_removed: 1,
    })
    expect(await loom.call('knowledge.delete', { document_id: made.document_id })).toEqual({
      found: false,
      deleted: false,
      chunks_removed: 0,
    })
    expect((await loom.call('knowledge.search', { query: 'ferrets' })).results).toEqual([])
    const again = await loom.call('knowledge.add', { document_key: 'gone', text: 'Ferrets live here.' })
    expect(again).toMatchObject({ document_id: made.document_id, created: true, noop: false })
    expect(again.version > made.version).toBe(true)
    const { rows } = await loom.call('audit.list', { limit: 200 })
    const ops = rows.filter((row) => row.subject.endsWith('/default/gone')).map((row) => row.op)
    expect(ops.toSorted()).toEqual(['knowledge.add', 'knowledge.add', 'knowledge.delete'])
    expect(rows.find((row) => row.subject.endsWith('/default/gone'))).toMatchObject({ content_sha256: made.content_sha256 })
  })
})
