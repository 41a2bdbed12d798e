import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memorySet } from '../../../shared/contract/ops/memory/set.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

describe('keys and values', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = (memory_key: string) => loom.call('memory.get', { memory_key })

  it('takes slash keys as they are [KEY002]', async () => {
    expect(await set('deploy/window/prod', 'The window is at dawn.')).toMatchObject({ memory_key: 'deploy/window/prod' })
    expect(await get('deploy/window/prod')).toMatchObject({ memory_key: 'deploy/window/prod' })
  })

  it('revises the fact of a key, and keeps the version before in its history [KEY003, KEY006]', async () => {
    await set('svc/port', 'The service listens on port 8080.')
    await set('svc/port', 'The service listens on port 9090.')
    expect(await get('svc/port')).toMatchObject({ value: 'The service listens on port 9090.' })
    const history = await loom.call('memory.history', { memory_key: 'svc/port' })
    expect(history.rows.map((row) => row.value)).toEqual(['The service listens on port 9090.', 'The service listens on port 8080.'])
    expect(history.rows[0]).toMatchObject({ op: 'memory.set', changed: ['value'] })
  })

  it.each([
    ['string', 'A plain text.'],
    ['number', 42.5],
    ['big', 12345678901234567890n],
    ['boolean', true],
    ['null', null],
    ['array', [1, 'two', [3]]],
    ['object', { claim: 'An object with a claim.', nested: { deep: [true, null] } }],
  ])('stores a %s and answers it unchanged [KEY009]', async (kind, value) => {
    await set(`kind/${kind}`, value)
    expect((await get(`kind/${kind}`)).value).toEqual(value)
  })

  it('keeps tags as given and entities lowercased [KEY011]', async () => {
    await set('facets', 'Facets ride along.', { tags: ['Deploy', 'POLICY'], entities: ['Production', 'Ada'] })
    expect(await get('facets')).toMatchObject({ tags: ['Deploy', 'POLICY'], entities: ['production', 'ada'] })
  })

  it('advises on shapes that recall cannot reach, and refuses none [KEY008, KEY012, KEY013, KEY014, KEY015]', async () => {
    expect((await set('plain', 'A plain sentence.')).advisories).toEqual([])
    const base64 = Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 37) % 256)).toString('base64')
    const encoded = await set('encoded', base64)
    expect(encoded.advisories[0]).toMatch(/^base64: /)
    expect(await get('encoded')).toMatchObject({ found: true, value: base64 })
    expect((await set('twice', JSON.stringify({ claim: 'x', tags: ['y'] }))).advisories[0]).toMatch(/^double-encoded: /)
    expect((await set('long', 'a b '.repeat(7_500).slice(0, 29_998))).advisories).toEqual([])
    expect((await set('longer', 'a b '.repeat(7_501).slice(0, 29_999))).advisories[0]).toMatch(/^oversized: .*knowledge\.add/)
  })

  it('splits a long value into chunks that join to it [KEY017, KEY018, KEY019]', async () => {
    const key = 'chunk/edge'
    // Two quotes, and a suffix of the key and three more characters.
    const room = 1200 - (key.length + 3) - 2
    const whole = 'x'.repeat(room)
    expect((await set(key, whole)).chunks_written).toBe(0)
    expect((await set(key, `${whole}y`)).chunks_written).toBe(1)
    const text = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')
    const long = await set('chunk/long', text)
    const rows = await loom.database.reader
      .selectFrom('memory_chunk')
      .select('text')
      .where('memory_id', '=', long.memory_id)
      .orderBy('position')
      .execute()
    expect(rows).toHaveLength(long.chunks_written)
    expect(rows.map((row) => row.text).join('')).toBe(text)
  })

  it('embeds no more than the first 1,200 characters, and finds the rest by its words [KEY010]', async () => {
    const start = 'The migration plan of the warehouse. '.repeat(40)
    const one = await set('plan/a', `${start} ends with bananas`)
    const two = await set('plan/b', `${start} ends with zeppelins`)
    const vector = async (id: string): Promise<string> =>
      (
        await loom.database.reader
          .selectFrom('memory_embedding')
          .select('vec')
          .where('memory_id', '=', id)
          .where('axis', '=', 'value')
          .executeTakeFirstOrThrow()
      ).vec
    // The keys differ, and so do their suffixes: compare two versions of one row.
    const before = await vector(two.memory_id)
    await set('plan/b', `${start} ends with trombones`)
    expect(await vector(two.memory_id)).toBe(before)
    expect(one.chunks_written).toBeGreaterThan(0)
    const found = await loom.call('memory.search', { query: 'trombones' })
    expect(found.results[0]?.memory_key).toBe('plan/b')
  })

  it('breaks ties by the words of the key, unless told not to [KEY004]', async () => {
    for (const mode of [true, false]) {
      const one = await openTestEngine({ config: { searchKeyMatch: mode } })
      const text = 'Rotation happens on the first Monday.'
      await one.call('memory.set', { memory_key: 'oncall/rota', value: text, agent: 'a', user_id: 'u1' })
      await one.call('memory.set', { memory_key: 'import:0123456789abcdef01234567', value: text, agent: 'a', user_id: 'u2' })
      const found = await one.call('memory.search', { query: 'oncall rotation', include_duplicates: true, explain: true })
      if (mode) expect(found.results[0]?.memory_key).toBe('oncall/rota')
      else for (const hit of found.results) expect(hit.why.some((line) => line.startsWith('key:'))).toBe(false)
      await one.close()
    }
  })

  it('tells agents about keys, documents and secrets [KEY001, KEY016]', () => {
    expect(memorySet.advice).toMatch(/one fact per key/i)
    expect(memorySet.advice).toMatch(/couple of kilobytes.*knowledge\.add/s)
    expect(memorySet.advice).toMatch(/never put a secret .*in a key/i)
  })

  it('finds Japanese, Chinese, Korean and identifiers', async () => {
    await set('ja', '本番デプロイの連絡先は佐藤さん、夜間は当番チャンネル。')
    await set('zh', '生产环境的数据库每天凌晨备份。')
    await set('ko', '배포는 매주 화요일에 진행합니다.')
    await set('id', 'Set LOOM_HOME to move the data folder.')
    for (const [query, key] of [
      ['連絡先', 'ja'],
      ['备份', 'zh'],
      ['화요일', 'ko'],
      ['LOOM_HOME', 'id'],
    ] as const) {
      expect((await loom.call('memory.search', { query })).results[0]?.memory_key).toBe(key)
    }
  })
})
