import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXPORT_SECTIONS, type ExportSection } from '../../../shared/contract/ops/namespace/export.ts'
import { stringifyJson } from '../../../shared/contract/json.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS })
  await loom.call('memory.set', { memory_key: 'a', value: { claim: 'Lamps are brass.', n: 12345678901234567890n }, tags: ['lamp'] })
  await loom.call('memory.set', { memory_key: 'b', value: 'ランプは真鍮です。' })
  await loom.call('memory.set', { memory_key: 'b', value: 'ランプは鋼です。' })
  await loom.call('memory.set', { memory_key: 'gone', value: 'Was here.' })
  await loom.call('memory.delete', { memory_key: 'gone' })
  await loom.call('memory.link', { memory_key: 'a', to_key: 'b', relation: 'supports' })
  await loom.call('memory.promote', { memory_key: 'b' })
  await loom.call('namespace.register', { description: 'Lamps.' })
  await loom.call('namespace.register_category', { category: 'Light' })
  await loom.call('memory.assign_category', { memory_key: 'a', category: 'Light' })
  await loom.call('blacklist.add', { pattern: 'xyzzy' })
  await loom.call('run.start', { run_id: 'r1', goal: 'x', metadata: { k: 1 } })
  await loom.call('run.event', { run_id: 'r1', events: [{ kind: 'note', summary: 'seen' }] })
  await loom.call('working_memory.set', { key: 'w', value: { at: 3 } })
})
afterAll(() => loom.close())

async function whole(section: ExportSection, limit: number): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = []
  let cursor: string | null = null
  do {
    const page: { rows: Record<string, unknown>[]; count: number; next_cursor: string | null } = await loom.call('namespace.export', {
      section,
      limit,
      ...(cursor !== null && { cursor }),
    })
    expect(page.rows.length).toBe(page.count)
    expect(page.count).toBeLessThanOrEqual(limit)
    rows.push(...page.rows)
    cursor = page.next_cursor
  } while (cursor !== null)
  return rows
}

describe('namespace.export', () => {
  it('answers every section page by page, the same rows at any size of page', async () => {
    for (const section of EXPORT_SECTIONS) expect(await whole(section, 1)).toEqual(await whole(section, 1000))
  })

  it('shows whole rows without vectors, and deleted ones only on request', async () => {
    const rows = await whole('memory', 1000)
    expect(rows.map((row) => row['memory_key'])).toEqual(['a', 'b'])
    expect(rows[0]).toMatchObject({ value: { claim: 'Lamps are brass.', n: 12345678901234567890n }, categories: ['Light'], tags: ['lamp'] })
    const all = await loom.call('namespace.export', { section: 'memory', include_tombstoned: true })
    expect(all.rows.map((row) => [row['memory_key'], row['status']])).toContainEqual(['gone', 'tombstoned'])
    const history = await whole('history', 1000)
    expect(history.map((row) => row['value'])).toContain('ランプは真鍮です。')
    expect(JSON.stringify(history[0], (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))).not.toMatch(
      /vec|salt/,
    )
  })

  it('names both ends of a link, settings, categories, patterns, runs with their events, and scratch values', async () => {
    expect(await whole('links', 10)).toEqual([
      expect.objectContaining({ row_kind: 'link', from_key: 'a', to_key: 'b', relation: 'supports' }),
      expect.objectContaining({ row_kind: 'category', memory_key: 'a' }),
      expect.objectContaining({ row_kind: 'shared', memory_key: 'b', value: 'ランプは鋼です。' }),
    ])
    expect((await whole('settings', 10)).map((row) => row['row_kind'])).toEqual(['namespace', 'category', 'blacklist'])
    expect(await whole('runs', 10)).toEqual([
      expect.objectContaining({ row_kind: 'run', run_id: 'r1', metadata: { k: 1 } }),
      expect.objectContaining({ row_kind: 'event', run_id: 'r1', summary: 'seen' }),
    ])
    expect(await whole('working_memory', 10)).toEqual([expect.objectContaining({ key: 'w', value: { at: 3 } })])
  })

  it('ends a page at some megabytes, however many rows it may hold', async () => {
    const namespace = 'large'
    for (let at = 0; at < 12; at++)
      await loom.call('conversation.append', {
        namespace,
        thread_id: 't',
        messages: [{ role: 'tool', content: `${at} `.padEnd(1_000_000, 'm'), message_id: `m${at}` }],
      })
    const keys: unknown[] = []
    const pages: number[] = []
    let cursor: string | null = null
    do {
      const page: { rows: Record<string, unknown>[]; next_cursor: string | null } = await loom.call('namespace.export', {
        namespace,
        section: 'conversations',
        limit: 10_000,
        ...(cursor !== null && { cursor }),
      })
      pages.push(stringifyJson(page.rows).length)
      keys.push(...page.rows.filter((row) => row['row_kind'] === 'message').map((row) => row['message_id']))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(keys).toEqual(Array.from({ length: 12 }, (_, at) => `m${at}`))
    expect(pages.length).toBeGreaterThan(1)
    // By one row at most does a page go past its bound.
    expect(Math.max(...pages)).toBeLessThan(10 * 1024 * 1024)
  })

  it('leaves one audit row a call, with no key', async () => {
    const before = (await loom.call('audit.list', { op: 'namespace.export', limit: 1000 })).rows.length
    await loom.call('namespace.export', { section: 'memory' })
    const { rows } = await loom.call('audit.list', { op: 'namespace.export', limit: 1000 })
    expect(rows.length).toBe(before + 1)
    expect(rows[0]).toMatchObject({ memory_key: '', subject: 'namespace:-/-/-/local' })
  })

  it('refuses a cursor of another section or made up, and a token bounded to one user', async () => {
    const { next_cursor } = await loom.call('namespace.export', { section: 'memory', limit: 1 })
    const foreign = loom.call('namespace.export', { section: 'history', cursor: next_cursor ?? '' })
    await expect(foreign).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    await expect(loom.call('namespace.export', { section: 'links', cursor: 'bm8' })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    const bound = loom.call('namespace.export', { section: 'memory' }, { claims: { ...localClaims('human', 'a'), user_id: 'a' } })
    await expect(bound).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})
