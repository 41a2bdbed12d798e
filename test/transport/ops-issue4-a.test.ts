import { expect } from 'vitest'
import { onEveryTransport, type OpCall } from '../helpers/transports.ts'

/** Operations that change and retire memory: the main promise of each, the same on every road. */

const fact = { memory_key: 'team/lead', value: 'Ada leads the platform team.' } as const
const store = (call: OpCall) => call('memory.set', fact)
const key = { memory_key: fact.memory_key } as const

onEveryTransport('memory.touch', 'changes the expiry and nothing else', async (call) => {
  const { content_sha256, version } = await store(call)
  expect(await call('memory.touch', { ...key, ttl_seconds: 600 })).toMatchObject({ touched: 1, rows: [{ touched: true, reason: '' }] })
  const row = await call('memory.get', key)
  expect(row).toMatchObject({ content_sha256, version })
  expect(row.expires_at).not.toBe(null)
})

onEveryTransport('memory.delete_version', 'deletes only the version named, to the last digit', async (call) => {
  const { version } = await store(call)
  expect(await call('memory.delete_version', { ...key, version: version + 1n })).toMatchObject({
    tombstoned: false,
    reason: 'version_changed',
    version,
  })
  expect(await call('memory.delete_version', { ...key, version })).toMatchObject({ tombstoned: true, reason: '' })
})

onEveryTransport('memory.move', 'renames a key, and the old one leads to the new', async (call) => {
  await store(call)
  expect(await call('memory.move', { ...key, to_key: 'team/head' })).toMatchObject({ moved: true, redirect: true })
  expect(await call('memory.get', { ...key, follow: true })).toMatchObject({ memory_key: 'team/head', value: fact.value })
  await call('memory.set', { memory_key: 'office/city', value: 'The office is in Lisbon.' })
  await expect(call('memory.move', { memory_key: 'office/city', to_key: 'team/head' })).rejects.toMatchObject({
    code: 'KEY_HOLDS_FACT',
    status: 409,
  })
})

onEveryTransport('memory.apply', 'previews, then applies row by row', async (call) => {
  await store(call)
  const change = { keys: [fact.memory_key, 'none'], action: 'label' as const, label: { tags: ['people'] }, reason: 'sorting' }
  expect(await call('memory.apply', change)).toMatchObject({ dry_run: true, totals: { would_apply: 1, refused: 1 } })
  expect(await call('memory.apply', { ...change, dry_run: false })).toMatchObject({ totals: { applied: 1, refused: 1 } })
  expect(await call('memory.get', key)).toMatchObject({ tags: ['people'] })
})

onEveryTransport('memory.clear', 'clears the one that it is told to, and says so', async (call) => {
  await call('memory.set', { ...fact, agent: 'leaving' })
  await expect(call('memory.clear', { agent: 'leaving', confirm_subject: 'other' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  expect(await call('memory.clear', { agent: 'leaving', confirm_subject: 'leaving' })).toMatchObject({ cleared: 1, refused_count: 0 })
})

onEveryTransport('memory.reject', 'takes a wrong fact out of search', async (call) => {
  await store(call)
  expect(await call('memory.reject', key)).toMatchObject({ rejected: true, status: 'rejected' })
  expect((await call('memory.search', { query: 'who leads the platform team?' })).results).toEqual([])
})

onEveryTransport('memory.redact', 'scrubs a past version', async (call) => {
  const { version } = await store(call)
  await call('memory.set', { ...fact, value: 'Grace leads the platform team.' })
  expect(await call('memory.redact', { ...key, version, reason: 'a mistake' })).toMatchObject({ redacted: true, version })
  const { rows } = await call('memory.history', key)
  expect(rows[1]).toMatchObject({ version, value: null, redacted: true, content_sha256: '' })
})

onEveryTransport('memory.verify', 'vouches for a row as it reads', async (call) => {
  const { content_sha256 } = await store(call)
  expect(await call('memory.verify', { ...key, if_match_sha256: content_sha256 })).toMatchObject({ verified: true, content_sha256 })
  expect(await call('memory.get', key)).toMatchObject({ verified: true })
})

onEveryTransport('memory.link', 'links two memories', async (call) => {
  await store(call)
  await call('memory.set', { memory_key: 'office/city', value: 'The office is in Lisbon.' })
  expect(await call('memory.link', { ...key, to_key: 'office/city' })).toMatchObject({ linked: true, link: { relation: 'see_also' } })
  expect(await call('memory.link', { ...key, to_key: 'none' })).toMatchObject({ linked: false, missing: ['none'] })
})

onEveryTransport('namespace.register_category', 'makes a category once, without case', async (call) => {
  expect(await call('namespace.register_category', { category: 'People' })).toMatchObject({ created: true })
  expect(await call('namespace.register_category', { category: 'people' })).toMatchObject({
    category: 'People',
    created: false,
    changed: false,
  })
})

onEveryTransport('memory.assign_category', 'puts a key into a category, which lists filter by', async (call) => {
  await store(call)
  await expect(call('memory.assign_category', { ...key, category: 'people' })).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 })
  await call('namespace.register_category', { category: 'people' })
  expect(await call('memory.assign_category', { ...key, category: 'people' })).toMatchObject({ assigned: true })
  expect((await call('memory.list', { category: 'people' })).rows).toMatchObject([{ memory_key: fact.memory_key, categories: ['people'] }])
})

onEveryTransport('memory.outcome', 'counts how acting on a memory went', async (call) => {
  await store(call)
  expect(await call('memory.outcome', { ...key, outcome: 'positive', weight: 2 })).toMatchObject({
    recorded: true,
    acted_count: 2,
    harm_count: 0,
  })
})
