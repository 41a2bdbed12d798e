import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('memory.verify, memory.link and categories', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = (memory_key: string) => loom.call('memory.get', { memory_key })
  const verify = (memory_key: string, more: object = {}) => loom.call('memory.verify', { memory_key, ...more })
  const link = (memory_key: string, to_key: string, more: object = {}) => loom.call('memory.link', { memory_key, to_key, ...more })
  const assign = (memory_key: string, category: string, more: object = {}) =>
    loom.call('memory.assign_category', { memory_key, category, ...more })
  const bot = { claims: { ...localClaims('process', 'bot') } }

  it('vouches for a row as it reads, until its value changes', async () => {
    const row = await set('ext', 'The vendor says it is waterproof.', { source_class: 'external' })
    const before = await countStores(loom.database)
    await refused(verify('ext', { if_match_sha256: 'stale' }), 'PRECONDITION_FAILED')
    expect(await verify('ext', { if_match_sha256: row.content_sha256 })).toMatchObject({
      verified: true,
      reason: '',
      content_sha256: row.content_sha256,
      verified_by: 'human:local',
    })
    await verify('ext')
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
    expect(await get('ext')).toMatchObject({ verified: true, verified_by: 'human:local', version: row.version })
    expect(await loom.call('memory.verify', { memory_key: 'ext' }, bot)).toMatchObject({ verified_by: 'process:bot' })
    expect((await loom.call('memory.list', { verified: true })).rows.map((listed) => listed.memory_key)).toEqual(['ext'])
    await set('other', 'Nobody vouches for this one.')
    expect((await loom.call('memory.list', { verified: false })).rows.map((listed) => listed.memory_key)).toEqual(['other'])

    await set('ext', 'The vendor says it is only splash-proof.', { source_class: 'external' })
    expect(await get('ext')).toMatchObject({ verified: false, verified_by: '', verified_at: null })
    await verify('ext')
    expect(await verify('ext', { verified: false })).toMatchObject({ verified: false, verified_by: '', verified_at: null })
    expect(await get('ext')).toMatchObject({ verified: false })
    expect(await verify('nowhere')).toMatchObject({ verified: false, reason: 'not_found' })
  })

  it('links two rows, once for each relation, and unlinks', async () => {
    await set('l/a', 'The first end of a link.')
    await set('l/b', 'Oranges are picked before the frost.')
    const before = await countStores(loom.database)
    const linked = await link('l/a', 'l/b', { relation: 'supports', note: 'see page 4' })
    expect(linked).toMatchObject({
      linked: true,
      reason: '',
      missing: [],
      link: { from_key: 'l/a', to_key: 'l/b', relation: 'supports', note: 'see page 4', actor: 'human:local' },
    })
    expect(await link('l/a', 'l/b', { relation: 'supports', note: 'see page 4' })).toEqual(linked)
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
    expect(await link('l/a', 'l/b', { relation: 'supports', note: 'page 5' })).toMatchObject({ link: { note: 'page 5' } })
    expect(await link('l/a', 'l/b', { remove: true })).toMatchObject({ linked: false, reason: 'not_linked' })
    expect(await link('l/b', 'l/a', { relation: 'supports', remove: true })).toMatchObject({ reason: 'not_linked' })
    expect(await link('l/a', 'l/b', { relation: 'supports', remove: true })).toEqual({ linked: false, reason: '', missing: [], link: null })
    expect(await link('l/a', 'none')).toEqual({ linked: false, reason: 'not_found', missing: ['none'], link: null })
    await refused(link('l/a', 'l/a'), 'INVALID_ARGUMENT')
    await loom.call('memory.lock', { memory_key: 'l/a', reason: 'audit' })
    expect(await link('l/a', 'l/b')).toMatchObject({ linked: true })
  })

  it('puts a key into a registered category, matched without case', async () => {
    await set('cat/a', 'Tomatoes are sown in April.')
    await refused(assign('cat/a', 'garden'), 'NOT_FOUND')
    expect(await loom.call('namespace.register_category', { category: 'Garden', description: 'what grows' })).toEqual({
      category: 'Garden',
      created: true,
      changed: true,
    })
    expect(await loom.call('namespace.register_category', { category: 'GARDEN' })).toEqual({
      category: 'Garden',
      created: false,
      changed: false,
    })
    const before = await countStores(loom.database)
    expect(await assign('cat/a', 'gARDEN')).toMatchObject({
      assigned: true,
      category: 'Garden',
      link: { category: 'Garden', rescinded_at: null },
    })
    expect(await assign('cat/a', 'garden')).toMatchObject({ assigned: true })
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
    expect(await assign('nowhere', 'garden')).toMatchObject({ assigned: false, reason: 'not_found', memory_id: '' })
    expect((await get('cat/a')).categories).toEqual(['Garden'])
  })

  it('filters list and search by category', async () => {
    await set('cat/b', 'Tomatoes are cheap in August.')
    expect((await loom.call('memory.list', { category: 'garden' })).rows).toMatchObject([{ memory_key: 'cat/a', categories: ['Garden'] }])
    const find = (category: string) => loom.call('memory.search', { query: 'tomatoes', category })
    expect((await find('GARDEN')).results.map((hit) => hit.memory_key)).toEqual(['cat/a'])
    expect((await find('')).results.map((hit) => hit.memory_key).sort()).toEqual(['cat/a', 'cat/b'])
    expect(await find('unknown')).toMatchObject({ results: [], abstain_code: 'filtered' })
  })

  it('rescinds, revives, and takes nothing new once retired', async () => {
    expect(await assign('cat/b', 'garden', { rescind: true })).toMatchObject({ assigned: false, reason: 'not_assigned' })
    const rescinded = await assign('cat/a', 'garden', { rescind: true })
    expect(rescinded).toMatchObject({ assigned: false, reason: '' })
    expect(rescinded.link?.rescinded_at).not.toBe(null)
    expect((await get('cat/a')).categories).toEqual([])
    expect(await assign('cat/a', 'garden')).toMatchObject({ assigned: true, link: { rescinded_at: null } })
    expect(await loom.call('namespace.register_category', { category: 'garden', retired: true })).toMatchObject({
      created: false,
      changed: true,
    })
    await refused(assign('cat/b', 'garden'), 'NOT_FOUND')
    expect((await get('cat/a')).categories).toEqual(['Garden'])
    expect(await assign('cat/a', 'garden', { rescind: true })).toMatchObject({ assigned: false, reason: '' })
  })

  it('is closed to bound tokens', async () => {
    const bound = { claims: { ...localClaims('human', 'local'), user_id: 'u1' } }
    await refused(loom.call('memory.assign_category', { memory_key: 'cat/a', category: 'garden' }, bound), 'FORBIDDEN')
    await refused(loom.call('namespace.register_category', { category: 'x' }, bound), 'FORBIDDEN')
  })
})
