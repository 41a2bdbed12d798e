import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SourceClass } from '../../../shared/contract/common.ts'
import { memorySet } from '../../../shared/contract/ops/memory/set.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { STAMPS } from '../../../shared/engine/write/plan.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

describe('provenance and labels', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  const bot = { claims: localClaims('process', 'bot') }
  const set = (memory_key: string, value: unknown, more: object = {}, as: object = {}) =>
    loom.call('memory.set', { memory_key, value, ...more } as never, as)
  const get = (memory_key: string) => loom.call('memory.get', { memory_key })

  it('stamps every row, whatever wrote it [PRV001]', async () => {
    await set('p/a', 'Written by a person.')
    await set('p/b', 'Olives are pressed in November.', {}, bot)
    await loom.call('memory.move', { memory_key: 'p/a', to_key: 'p/c' }, bot)
    await loom.call('memory.delete', { memory_key: 'p/b' }, bot)
    await loom.call('memory.restore', { memory_key: 'p/b' })
    await loom.call('memory.reject', { memory_key: 'p/b' })
    await loom.call('memory.apply', { keys: ['p/c'], action: 'label', label: { tags: ['t'] }, reason: 'r', dry_run: false }, bot)
    const { rows } = await sql`SELECT memory_key FROM loom.memory WHERE actor = '' OR source_class = ''
      UNION ALL SELECT memory_key FROM loom.memory_version WHERE actor = '' OR source_class = ''`.execute(loom.database.reader)
    expect(rows).toEqual([])
    expect(await get('p/c')).toMatchObject({ actor: 'process:bot', source_class: 'user' })
  })

  it('takes a lower class, and no other [PRV005, PRV006, PRV007]', async () => {
    for (const source_class of ['external', 'imported', 'derived']) {
      await set(`c/${source_class}`, `A claim of class ${source_class} about its source.`, { source_class })
      expect(await get(`c/${source_class}`)).toMatchObject({ source_class })
    }
    for (const source_class of ['user', 'agent', 'system', 'trusted', '']) {
      for (const as of [{}, bot]) {
        expect((await refused(set('c/raised', 'Raised.', { source_class }, as), 'INVALID_ARGUMENT')).fields).toEqual({
          field: 'source_class',
        })
      }
    }
    expect(await get('c/raised')).toMatchObject({ found: false })
  })

  it('keeps where a claim comes from, and serves it [PRV009, PRV011]', async () => {
    const sources = ['docs/handbook.md', 'doc-77f1', 'https://example.org/page?x=1#top']
    for (const [at, source_resource_id] of sources.entries()) {
      await set(`s/${at}`, `Source number ${at} has this to say of ${['tea', 'rope', 'glass'][at]}.`, {
        source_resource_id,
        source_trace: `wiki/${at}`,
        source_class: 'external',
      })
      expect(await get(`s/${at}`)).toMatchObject({
        source_resource_id,
        source_trace: `wiki/${at}`,
        source_class: 'external',
        actor: 'human:local',
      })
    }
  })

  it('has the classes and their order in the docs [PRV010]', () => {
    const docs = readFileSync(new URL('../../../docs/provenance.md', import.meta.url), 'utf8')
    const table = [...docs.matchAll(/^\| (\w+) \| (\d) \| (.*?) \| (no|yes)/gm)].map(([, name, trust, stamped, named]) => ({
      name,
      trust,
      stamped,
      named,
    }))
    expect(table.map((row) => row.name)).toEqual(['user', 'agent', 'system', 'derived', 'imported', 'external'])
    expect(table.map((row) => row.trust)).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(new Set(table.map((row) => row.name))).toEqual(new Set(SourceClass.options))
    const nameable = new Set<string | undefined>(table.filter((row) => row.named === 'yes').map((row) => row.name))
    for (const name of SourceClass.options) {
      expect(memorySet.input.safeParse({ memory_key: 'k', value: 1, source_class: name }).success).toBe(nameable.has(name))
    }
    for (const [kind, stamp] of Object.entries(STAMPS)) expect(table.find((row) => row.name === stamp)?.stamped).toContain(`\`${kind}:`)
  })

  it('drops a stored label that a set does not name [LIM004]', async () => {
    await set('label', 'The meeting room is booked.', { sensitivity: 'medium' })
    expect(await get('label')).toMatchObject({ sensitivity: 'medium' })
    await set('label', 'The meeting room is booked.')
    expect(await get('label')).toMatchObject({ sensitivity: '' })
  })

  it('stores a high row again with the detected level alone [LIM005]', async () => {
    const vectors = async (memory_id: string) =>
      loom.database.reader.selectFrom('memory_embedding').select('axis').where('memory_id', '=', memory_id).execute()
    const { memory_id } = await set('secret', 'The garden gate squeaks.', { sensitivity: 'high' })
    expect(await vectors(memory_id)).toEqual([])
    await set('secret', 'The garden gate squeaks again.')
    expect(await get('secret')).toMatchObject({ sensitivity: '' })
    expect(await vectors(memory_id)).not.toEqual([])
    await set('secret', 'Card 4111 1111 1111 1111 pays for the gate.')
    expect(await get('secret')).toMatchObject({ sensitivity: 'high' })
    expect(await vectors(memory_id)).toEqual([])
  })

  it('tells clients to read merged_into_key after a merge [LIM003]', () => {
    const docs = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
    expect(docs).toMatch(/on "merge" nothing was stored at your key and merged_into_key names the key that holds the fact/)
  })
})
