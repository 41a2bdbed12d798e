import { beforeEach, describe, expect, test } from 'vitest'
import { createHotIndex } from '../../../shared/engine/index/hot-index.ts'
import type { HotIndex, SearchQuery } from '../../../shared/engine/index/types.ts'
import { query, row } from './rows.ts'

let index: HotIndex

beforeEach(() => {
  index = createHotIndex({ dim: 4 })
})

const ids = (text: string, change: Partial<SearchQuery> = {}): string[] => index.search(query(text, change)).hits.map((hit) => hit.memoryId)
const near = (text: string): string[] =>
  index
    .search(query(text))
    .hits.filter((hit) => hit.near)
    .map((hit) => hit.memoryId)
const vector = (...values: number[]): Float32Array => Float32Array.from(values)

describe('by words', () => {
  test('the row that has the words comes first and says which', () => {
    index.upsert(row('deploy/window/prod', 'Production deploys run Tuesday and Thursday only; never Friday. (#deploy/window/prod)'))
    index.upsert(row('cafeteria', 'The cafeteria closes at three. (#cafeteria)'))
    const { hits, candidates } = index.search(query('When do we deploy to prod on Friday?'))
    expect(candidates).toBe(2)
    expect(hits.map((hit) => hit.memoryId)).toEqual(['deploy/window/prod'])
    expect(hits[0]).toMatchObject({
      near: true,
      coverage: 1,
      similarity: 0,
      chunk: null,
      matchedWords: ['deploy', 'friday'],
      matchedKeyWords: ['deploy', 'prod'],
    })
  })

  test.each([
    ['デプロイはいつですか', '本番環境のデプロイは火曜日だけ'],
    ['什么时候部署生产环境', '生产环境只在周二部署'],
    ['배포 언제 하나요', '운영 배포는 화요일에만 한다'],
    ['Когда развёртывание в пятницу?', 'Развёртывание по пятницам запрещено'],
    ['วันศุกร์', 'เราไม่ปรับใช้ในวันศุกร์'],
    ['متى النشر', 'النشر يوم الثلاثاء فقط'],
    ['金', '金曜日は休み'],
    ['LOOM_HOME', 'The folder is set by LOOM_HOME.'],
    ['loom home', 'The folder is set by LOOM_HOME.'],
    ['getUserById', 'Call getUserById with the id.'],
    ['get_user_by_id', 'Call getUserById with the id.'],
    ['ERR_CONN_42', 'It fails with ERR_CONN_42 at night.'],
    ['v1.2.3', 'We pinned 1.2.3 of it.'],
    ['cafe', 'Das Café öffnet um neun.'],
    ['🚀', 'Launch day 🚀'],
  ])('"%s" is near "%s"', (question, text) => {
    index.upsert(row('it', text))
    index.upsert(row('other', 'Lunch is at noon. 昼食は正午。 午餐在中午。 점심은 정오. Обед в полдень.'))
    expect(near(question)).toEqual(['it'])
  })

  test('nothing is near a question about something else', () => {
    index.upsert(row('a', 'Production deploys run on Tuesday.'))
    expect(near('What is the capital of France?')).toEqual([])
  })

  test.each([
    ['only stop words', 'who is it'],
    ['nothing', ''],
    ['white space', '   '],
    ['marks', '?!'],
    ['SQL', "'; drop table memory; --"],
    ['a regular expression', '(.*)+$'],
    ['right to left', '\u202eabc'],
    ['half a surrogate pair', '\ud83d'],
    ['one long word', 'x'.repeat(4000)],
    ['many words', Array.from({ length: 800 }, (_, i) => `w${i}`).join(' ')],
  ])('a query of %s is answered', (_, text) => {
    index.upsert(row('a', 'One fact.'))
    expect(index.search(query(text))).toEqual({ hits: [], candidates: 1, considered: 0 })
  })

  test('key, tags, author and date are words of a row', () => {
    index.upsert(row('billing/invoices', 'They are sent monthly.', { tags: ['finance'], actor: 'grace', validAt: Date.UTC(2024, 2, 9) }))
    index.upsert(row('z', 'They are sent weekly.'))
    for (const text of ['invoices', 'finance', 'grace', 'March 2024']) expect(near(text)).toEqual(['billing/invoices'])
  })

  test('a key that is only a digest takes no part', () => {
    index.upsert(row('import:0123456789abcdef01234567', 'A fact.', { keyIndexed: false }))
    expect(ids('0123456789abcdef01234567')).toEqual([])
  })

  test('a row is one hit however many of its chunks match, and names the best', () => {
    const chunks = ['It begins with a preface.', 'The boiler needs service in October; the boiler is old.', 'It ends; the boiler, again.']
    index.upsert(row('manual', 'It begins with a preface.', { chunks }))
    expect(index.search(query('boiler service')).hits).toMatchObject([{ memoryId: 'manual', chunk: 1, coverage: 1 }])
  })

  test('neighbours of a session lend their words; turns of another session or user do not', () => {
    const turn = (id: string, text: string, position: number, change: object = {}): void =>
      index.upsert(row(id, text, { sessionId: 's1', position, keyIndexed: false, ...change }))
    turn('q', 'Ada: Where did you go hiking?', 1)
    turn('a', 'Grace: In the Dolomites, with my sister.', 2)
    turn('b', 'Grace: In the Dolomites, with my brother.', 2, { sessionId: 's2' })
    turn('c', 'Grace: In the Dolomites, with my cousin.', 3, { userId: 'u' })
    expect(ids('hiking').slice(0, 2).sort()).toEqual(['a', 'q'])
    expect(ids('hiking')).toHaveLength(2)
    expect(ids('Where did Grace go hiking?')[0]).toBe('a')
  })
})

describe('ties', () => {
  const same = 'The window is on Tuesday.'

  test('[KEY004] words of the key break a tie, unless they are turned off', () => {
    const suffix = (key: string): string => `${same} (#${key})`
    index.upsert(
      row('infra/prod', suffix('infra/prod'), { updatedAt: 1, valueVector: vector(1, 0.2, 0, 0), keyVector: vector(0, 1, 0, 0) }),
    )
    index.upsert(row('infra/lab', suffix('infra/lab'), { updatedAt: 2, valueVector: vector(1, 0.1, 0, 0), keyVector: vector(0, 0, 1, 0) }))
    for (const mode of ['hybrid', 'lexical'] as const) {
      expect(ids('window prod', { mode, vector: vector(1, 0.5, 0, 0) })).toEqual(['infra/prod', 'infra/lab'])
      expect(ids('window prod', { mode, vector: vector(1, 0.5, 0, 0), keyMatch: false })).toEqual(['infra/lab', 'infra/prod'])
    }
  })

  test('then pinned rows come first, then newer ones', () => {
    index.upsert(row('k1', same, { updatedAt: 1 }))
    index.upsert(row('k2', same, { updatedAt: 2 }))
    index.upsert(row('k3', same, { updatedAt: 0, pinned: true }))
    expect(ids('window')).toEqual(['k3', 'k2', 'k1'])
  })
})

describe('by meaning', () => {
  beforeEach(() => {
    index.upsert(row('north', 'alpha', { valueVector: vector(1, 0, 0, 0) }))
    index.upsert(row('east', 'beta', { valueVector: vector(0, 2, 0, 0), keyVector: vector(0.9, 0.1, 0, 0) }))
    index.upsert(row('south', 'gamma', { valueVector: vector(-1, 0, 0, 0) }))
  })

  test("similarity is the larger cosine of value and key, whatever a vector's length", () => {
    const hits = index.search(query('nothing', { vector: vector(0, 5, 0, 0), mode: 'vector' })).hits
    expect(hits[0]).toMatchObject({ memoryId: 'east', near: true })
    expect(hits[0]?.similarity).toBeCloseTo(1, 2)
    const byKey = index.search(query('nothing', { vector: vector(1, 0, 0, 0) })).hits.find((hit) => hit.memoryId === 'east')
    expect(byKey?.similarity).toBeCloseTo(0.9 / Math.hypot(0.9, 0.1), 2)
  })

  test('modes use their own leg; a query without a vector is answered by words', () => {
    expect(ids('gamma', { mode: 'lexical', vector: vector(1, 0, 0, 0) })).toEqual(['south'])
    expect(ids('gamma', { mode: 'vector', vector: vector(1, 0, 0, 0) })[0]).toBe('north')
    expect(ids('gamma', { mode: 'vector' })).toEqual([])
    expect(ids('gamma')).toEqual(['south'])
    expect(ids('who', { vector: vector(1, 0, 0, 0) })[0]).toBe('north')
  })

  test('a vector of zeros is as good as none; one of another length is refused and changes nothing', () => {
    index.upsert(row('zero', 'delta', { valueVector: vector(0, 0, 0, 0) }))
    expect(ids('delta', { vector: vector(0, 0, 0, 0) })).toEqual(['zero'])
    expect(() => index.upsert(row('zero', 'epsilon', { valueVector: vector(1, 0) }))).toThrow('length 4')
    expect(ids('delta')).toEqual(['zero'])
  })

  test('peers that count are found behind any number of nearer rows that do not', () => {
    const index = createHotIndex({ dim: 2 })
    for (let at = 0; at < 150; at++)
      index.upsert(row(`other-${at}`, 'alpha beta', { userId: 'someone', valueVector: Float32Array.of(1, at / 1000) }))
    index.upsert(row('far', 'alpha', { valueVector: Float32Array.of(1, 1) }))
    index.upsert(row('farther', 'gamma', { valueVector: Float32Array.of(0, 1) }))
    const accept = ({ userId }: { readonly userId: string }): boolean => userId === '-'
    const peers = index.peers({ org: 'o', namespace: 'n', text: 'alpha beta', vector: Float32Array.of(1, 0), accept, limit: 5 })
    expect(peers.map(({ memoryId }) => memoryId)).toEqual(['far', 'farther'])
  })

  test('peers are the nearest by the vectors of their values; those without one by their words', () => {
    index.upsert(row('bare', 'alpha and omega'))
    index.upsert(row('profile', 'alpha of a profile', { searchable: false, memoryType: 'profile' }))
    const peers = index.peers({
      org: 'o',
      namespace: 'n',
      text: 'alpha',
      vector: vector(1, 0, 0, 0),
      accept: (doc) => doc.memoryId !== 'south',
      limit: 5,
    })
    expect(peers.map((peer) => peer.memoryId).sort()).toEqual(['bare', 'east', 'north', 'profile'])
    expect(peers.find((peer) => peer.memoryId === 'east')?.similarity).toBe(0)
    expect(peers.find((peer) => peer.memoryId === 'north')?.similarity).toBeCloseTo(1, 2)
    const byWords = index.peers({ org: 'o', namespace: 'n', text: 'alpha', vector: null, accept: () => true, limit: 5 })
    expect(byWords.map((peer) => peer.memoryId).sort()).toEqual(['bare', 'north', 'profile'])
    expect(ids('profile')).toEqual([])
  })
})

describe('scope', () => {
  test('an org sees no row of another, a namespace none of another', () => {
    index.upsert(row('mine', 'shared word'))
    index.upsert(row('theirs', 'shared word', { org: 'p' }))
    index.upsert(row('elsewhere', 'shared word', { namespace: 'm' }))
    expect(ids('shared')).toEqual(['mine'])
    expect(ids('shared', { namespaces: ['n', 'm', 'm', 'none'] }).sort()).toEqual(['elsewhere', 'mine'])
    expect(index.search(query('shared', { namespaces: [] }))).toEqual({ hits: [], candidates: 0, considered: 0 })
    expect(index.peers({ org: 'p', namespace: 'm', text: 'shared', vector: null, accept: () => true, limit: 5 })).toEqual([])
  })

  test('what is not accepted is neither found nor counted', () => {
    for (let i = 0; i < 50; i++) index.upsert(row(`r${i}`, 'same text', { confidence: i / 50 }))
    const outcome = index.search(query('text', { accept: (doc) => doc.confidence >= 0.9, limit: 50 }))
    expect(outcome.candidates).toBe(5)
    expect(outcome.hits).toHaveLength(5)
  })

  test('a row is found and filtered by what it names, in the next search', () => {
    index.upsert(row('a', 'Ada leads billing.', { entities: ['ada'], tags: ['team'] }))
    index.upsert(row('b', 'Grace leads billing.', { entities: ['grace'] }))
    const { hits } = index.search(query('what does ada lead in the team', { accept: (doc) => doc.entities.includes('ada') }))
    expect(hits).toMatchObject([{ memoryId: 'a', matchedEntities: ['ada'], matchedTags: ['team'] }])
  })

  test('a soft tag raises a row without excluding others', () => {
    index.upsert(row('a', 'billing', { updatedAt: 2 }))
    index.upsert(row('b', 'billing', { updatedAt: 1, tags: ['Urgent'] }))
    expect(ids('billing')).toEqual(['a', 'b'])
    const boosted = index.search(query('billing', { softTags: { tags: ['urgent'], boost: 0.1 } })).hits
    expect(boosted.map((hit) => hit.memoryId)).toEqual(['b', 'a'])
    expect(boosted[0]).toMatchObject({ matchedTags: ['Urgent'] })
  })

  test('what is kept of a row can be read, and does not change with the index', () => {
    const given = row('a', 'text', {
      version: 18_446_744_073_709_551_615n,
      validAt: 5,
      tags: ['t'],
      entities: ['e'],
      pinned: true,
      confidence: 0.7,
    })
    index.upsert(given)
    const kept = index.get('a')
    const { text: _, chunks: __, valueVector: ___, keyVector: ____, ...rest } = given
    expect(kept).toEqual(rest)
    index.remove('a')
    index.upsert(row('b', 'other'))
    expect(kept).toEqual(rest)
    expect(index.get('a')).toBeNull()
  })

  test('removing and clearing empty it', () => {
    index.upsert(row('a', 'text', { valueVector: vector(1, 0, 0, 0) }))
    index.remove('none')
    index.remove('a')
    expect([index.size, ids('text')]).toEqual([0, []])
    index.upsert(row('a', 'text'))
    index.clear()
    expect([index.size, index.bytes, ids('text')]).toEqual([0, 0, []])
  })
})
