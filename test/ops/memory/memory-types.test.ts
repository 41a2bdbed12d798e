import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

interface Line {
  readonly name: string
  readonly embedded: boolean
  readonly searched: boolean
  readonly judged: boolean
  readonly retention: string
}

/** The table of the docs page, a line a row. */
function documented(): Line[] {
  const page = readFileSync(new URL('../../../docs/memory-types.md', import.meta.url), 'utf8')
  return [...page.matchAll(/^\| (.+?) \| (yes|no) \| (yes|no) \| (yes|no) \| (\w+) \|$/gm)].map(
    ([, name = '', embedded, searched, judged, retention = '']) => ({
      name,
      embedded: embedded === 'yes',
      searched: searched === 'yes',
      judged: judged === 'yes',
      retention,
    }),
  )
}

const YEARS = 10 * 365 * 24 * 3600 * 1000

describe('memory types and sensitivity', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = async (memory_key: string, more: object = {}) =>
    (await loom.call('memory.get', { memory_key, ...more })) as Record<string, unknown>
  const vectorsOf = (id: string) => loom.database.reader.selectFrom('memory_embedding').select('axis').where('memory_id', '=', id).execute()
  const found = async (query: string, more: object = {}) =>
    (await loom.call('memory.search', { query, include_top_n_unmatched: 50, ...more })).results.map((hit) => hit.memory_key)

  it('is the table of all four types, and of high sensitivity', () => {
    expect(documented().map(({ name }) => name)).toEqual(['semantic', 'procedural', 'profile', 'episodic', 'any, sensitivity high'])
  })

  it.each(documented())(
    '[KEY033] [KEY027] [KEY028] [KEY031] $name: embedded $embedded, searched $searched, judged $judged, retention $retention',
    async (line) => {
      const namespace = `t-${line.name.replace(/[^a-z]/g, '')}`
      const high = line.name.includes('high')
      const memory_type = high ? 'semantic' : line.name
      const value = (days: string): unknown =>
        line.name === 'procedural'
          ? { title: 'Production deploys', steps: [`Production deploys run ${days}.`] }
          : `Production deploys run ${days}.`
      const rest = { namespace, memory_type, ...(high && { sensitivity: 'high' }) }
      const { memory_id } = await set('deploy/window', value('Tuesday and Thursday only; never Friday'), rest)
      const second = await set('ops/deploys', value('Monday to Thursday'), rest)
      expect((await vectorsOf(memory_id)).length > 0).toBe(line.embedded)
      expect(
        (await found('Production deploys run Tuesday and Thursday only; never Friday.', { namespace })).includes('deploy/window'),
      ).toBe(line.searched)
      expect(second.conflict_verdict !== '').toBe(line.judged)
      expect(line.retention).toBe('none')
      const at = now
      now += YEARS
      expect(await get('deploy/window', { namespace })).toMatchObject({ found: true, memory_type, expires_at: null })
      now = at
    },
  )

  it('[KEY026] is semantic where the caller names none', async () => {
    await set('typed/none', 'The type of this row was not named.')
    expect(await get('typed/none')).toMatchObject({ memory_type: 'semantic' })
  })

  it('[KEY029] makes a procedural write without a procedure body semantic, and says so', async () => {
    expect(await set('how/words', 'First stop the pump, then drain it.', { memory_type: 'procedural' })).toMatchObject({
      retyped_from: 'procedural',
    })
    expect(await get('how/words')).toMatchObject({ memory_type: 'semantic' })
  })

  it('[KEY030] keeps the type of a procedure body', async () => {
    expect(
      await set('how/steps', { title: 'Drain the pump', steps: ['Stop it.', 'Open the valve.'] }, { memory_type: 'procedural' }),
    ).toMatchObject({ retyped_from: '' })
    expect(await get('how/steps')).toMatchObject({ memory_type: 'procedural' })
  })

  it('[KEY031] embeds no high row, stated or detected, and reads it by key alone', async () => {
    const stated = await set('high/stated', 'The spare key hangs behind the barometer.', { sensitivity: 'high' })
    const detected = await set('high/detected', 'The travel card is 4111 1111 1111 1111.')
    for (const [key, { memory_id }, query] of [
      ['high/stated', stated, 'spare key behind the barometer'],
      ['high/detected', detected, 'travel card 4111 1111 1111 1111'],
    ] as const) {
      expect(await vectorsOf(memory_id)).toEqual([])
      expect(await found(query)).not.toContain(key)
      expect(await get(key)).toMatchObject({ found: true, sensitivity: 'high' })
    }
  })

  it('[KEY034] [KEY035] labels an email medium, and still embeds and finds the row', async () => {
    const { memory_id } = await set('contact/ada', 'Write to ada@example.org about the observatory keys.')
    expect(await get('contact/ada')).toMatchObject({ sensitivity: 'medium' })
    expect(await vectorsOf(memory_id)).not.toEqual([])
    expect(await found('who to write to about the observatory keys')).toContain('contact/ada')
  })

  it('[KEY036] detects nothing where the caller stated a level', async () => {
    await set('contact/low', 'Write to grace@example.org about the telescope.', { sensitivity: 'low' })
    expect(await get('contact/low')).toMatchObject({ sensitivity: 'low' })
    now += 25 * 3600 * 1000
    await loom.engine.runDueJobs()
    expect(await get('contact/low')).toMatchObject({ sensitivity: 'low' })
  })

  it('[CFG024] detects nothing with autodetection off, for the process or for a namespace, which wins', async () => {
    await loom.call('namespace.register', { namespace: 'plain', sensitivity_autodetect: false })
    await set('card', 'The travel card is 4111 1111 1111 1111.', { namespace: 'plain' })
    expect(await get('card', { namespace: 'plain' })).toMatchObject({ sensitivity: '' })
    const off = await openTestEngine({ config: { sensitivityAutodetect: false } })
    try {
      const card = { memory_key: 'card', value: 'The travel card is 4111 1111 1111 1111.' }
      await off.call('memory.set', card)
      expect(await off.call('memory.get', { memory_key: 'card' })).toMatchObject({ sensitivity: '' })
      await off.call('namespace.register', { namespace: 'careful', sensitivity_autodetect: true })
      await off.call('memory.set', { ...card, namespace: 'careful' })
      expect(await off.call('memory.get', { memory_key: 'card', namespace: 'careful' })).toMatchObject({ sensitivity: 'high' })
    } finally {
      await off.close()
    }
  })

  it('[KEY024] refuses values over the row’s char_limit, on later writes that do not mention it too', async () => {
    await set('short', 'abcde', { char_limit: 5 })
    const before = await countStores(loom.database)
    expect((await refused(set('short', 'abcdef'), 'CHAR_LIMIT_EXCEEDED')).fields).toMatchObject({ char_limit: 5, length: 6 })
    expect(await countStores(loom.database)).toEqual(before)
    await set('short', 'vwxyz')
    await refused(set('short', 'longer'), 'CHAR_LIMIT_EXCEEDED')
    await set('short', 'longer', { char_limit: 0 })
    expect(await get('short')).toMatchObject({ value: 'longer', char_limit: null })
  })

  it('[KEY022] has no fixed maximum for a value below the cap of a request', { timeout: 60_000 }, async () => {
    const value = 'The minutes of the harbour board go on. '.repeat(131_072)
    expect(value.length).toBeGreaterThan(5_000_000)
    expect(await set('minutes', value)).toMatchObject({ status: 'active', chunks_written: expect.any(Number) as number })
    expect(((await get('minutes'))['value'] as string).length).toBe(value.length)
  })

  it('[TAG001] takes a row that has any one of the tags named, without case', async () => {
    await set('tags/one', 'The lantern hangs over the stair.', { tags: ['Stair'] })
    await set('tags/two', 'The lantern hangs over the porch.', { tags: ['porch', 'oak'] })
    await set('tags/none', 'The lantern hangs over the well.')
    const keys = async (tags: string[]) => (await found('lantern hangs over', { tags })).sort()
    expect(await keys(['stair', 'PORCH'])).toEqual(['tags/one', 'tags/two'])
    expect(await keys(['oak', 'nothing'])).toEqual(['tags/two'])
  })

  it('[TAG004] stores entities in lower case, whatever their spelling', async () => {
    await set('entities', 'The release went to production.', { entities: ['Production', 'ÉCOLE', 'production'] })
    expect(await get('entities')).toMatchObject({ entities: ['production', 'école'] })
    expect(await found('release production', { entity_filter: ['PRODUCTION'] })).toContain('entities')
  })
})
