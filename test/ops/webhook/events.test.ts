import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CallInputOf, OpName, OutputOf } from '../../../shared/contract/registry.ts'
import { ADMIN } from '../../helpers/push.ts'
import { CHAT, openTeam, queued, type Team } from '../../helpers/webhooks.ts'

let team: Team
let key = ''
let count = 0
beforeAll(async () => {
  team = await openTeam()
  await team.hook()
})
afterAll(() => team.close())
beforeEach(async () => {
  key = `k${++count}`
  await clear()
})

const clear = async (): Promise<void> => {
  team.clock.now += 1000
  await team.loom.database.reader.deleteFrom('memory_webhook_outbox').where('org', '=', 'acme').execute()
}
/** As the agent scribe, in the namespace chat. */
const call = <N extends OpName>(op: N, input: CallInputOf<N>): Promise<OutputOf<N>> => team.loom.call(op, input, { ...ADMIN, fills: CHAT })
const told = async (): Promise<string[]> => (await queued(team)).map(({ type, memory_key }) => `${type} ${memory_key}`)
/** A row that stands, with the outbox emptied after it. */
const standing = async (value = `Value of ${key}.`, more: Partial<CallInputOf<'memory.set'>> = {}) => {
  const row = await team.set(key, value, more)
  await clear()
  return row
}
const revised = (of = key): string => `memory.revised ${of}`
const tombstoned = (of = key): string => `memory.tombstoned ${of}`

describe('memory.set', () => {
  it('is told as written for a key with no live row, and as revised for a new value of a live one [WHK013, WHK015]', async () => {
    await team.set(key, 'Tea is drunk at four.')
    expect(await told()).toEqual([`memory.written ${key}`])
    await team.set(key, 'Tea is drunk at five.')
    expect(await told()).toEqual([`memory.written ${key}`, revised()])
    await call('memory.delete', { memory_key: key })
    await clear()
    await team.set(key, 'Tea is drunk at six.')
    expect(await told()).toEqual([`memory.written ${key}`])
  })

  it.each([
    ['type', { memory_type: 'episodic' }],
    ['tags', { tags: ['x'] }],
    ['expiry', { ttl_seconds: 86_400 }],
    ['confidence', { confidence: 0.4 }],
    ['valid_at', { valid_at: '2026-01-01T00:00:00Z' }],
    ['valid_to', { valid_to: '2031-01-01T00:00:00Z' }],
    ['sensitivity', { sensitivity: 'medium' }],
    ['files', { files: ['src/a.ts'] }],
    ['source_resource_id', { source_resource_id: 'doc-1' }],
    ['source_class', { source_class: 'derived' }],
  ] as const)('of the same value with another %s is told as revised [WHK016]', async (_name, change) => {
    await standing()
    await team.set(key, `Value of ${key}.`, change as Partial<CallInputOf<'memory.set'>>)
    expect(await told()).toEqual([revised()])
  })

  it('restated, as by a retry with equal fields, is told once [WHK037]', async () => {
    for (let again = 0; again < 3; again++) await team.set(key, 'Coffee is bought on Mondays.', { tags: ['x'] })
    expect(await told()).toEqual([`memory.written ${key}`])
  })

  it('with a relative expiry is told again at each retry [WHK038]', async () => {
    await standing('The guest code is blue.', { ttl_seconds: 3600 })
    team.clock.now += 10_000
    await team.set(key, 'The guest code is blue.', { ttl_seconds: 3600 })
    expect(await told()).toEqual([revised()])
  })

  it('that stores nothing is told of nothing: merged, refused, or run dry [WHK042, WHK043]', async () => {
    await standing('The office cat is called Miso.')
    const merged = await call('memory.set', { memory_key: `${key}/other`, value: 'The office cat is called Miso.' })
    expect(merged.merged_into_key).toBe(key)
    await call('memory.set', { memory_key: key, value: 'Dry.', dry_run: true })
    await call('memory.lock', { memory_key: key, reason: 'x' })
    await expect(team.set(key, 'Another cat.')).rejects.toMatchObject({ code: 'LOCKED' })
    await call('memory.unlock', { memory_key: key })
    await expect(team.set(key, 'Another cat.', { if_match_sha256: 'f'.repeat(64) })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    await expect(team.set(key, 'x'.repeat(9), { char_limit: 3 })).rejects.toMatchObject({ code: 'CHAR_LIMIT_EXCEEDED' })
    expect(await told()).toEqual([])
  })
})

describe('memory.bulk_set', () => {
  const bulk = (entries: CallInputOf<'memory.bulk_set'>['entries']) => call('memory.bulk_set', { entries })

  it('is told entry by entry, and a second value of one batch as revised [WHK013, WHK015, WHK040]', async () => {
    await bulk([
      { memory_key: key, value: 'The first value.' },
      { memory_key: key, value: 'The second value.' },
    ])
    expect(await told()).toEqual([`memory.written ${key}`, revised()])
  })

  it('with the value as it is stored is not told, whatever else differs [WHK039]', async () => {
    await standing('A bulk value.')
    await bulk([{ memory_key: key, value: 'A bulk value.', tags: ['new'], confidence: 0.3, ttl_seconds: 60 }])
    expect(await told()).toEqual([])
  })
})

describe('memory.import and memory.import_curated', () => {
  it('are told fact by fact, as memory.bulk_set is [WHK036]', async () => {
    const entries = [{ text: `The lamp of ${key} is green.` }]
    const { results } = await call('memory.import', { entries })
    await call('memory.import', { entries })
    expect(await told()).toEqual([`memory.written ${results[0]?.key}`])
    await clear()
    const file = (text: string) => ({ markdown: `## ${key}\n\n${text}\n`, key_prefix: 'hand' })
    await call('memory.import_curated', file('The ladder is long.'))
    await call('memory.import_curated', file('The ladder is short.'))
    expect(await told()).toEqual([`memory.written hand/${key}`, revised(`hand/${key}`)])
  })
})

describe('changes and deletions', () => {
  it('memory.update and update_by_id are told as revised [WHK017]', async () => {
    const { memory_id } = await standing()
    await call('memory.update', { memory_key: key, value: 'Updated once.' })
    await call('memory.update_by_id', { memory_id, value: 'Updated twice.' })
    expect(await told()).toEqual([revised(), revised()])
    await clear()
    await call('memory.update_by_id', { memory_id, value: 'Updated twice.' })
    expect(await told()).toEqual([])
  })

  it('memory.delete and delete_version are told as tombstoned, memory.restore as restored [WHK023, WHK030]', async () => {
    await standing()
    await call('memory.delete', { memory_key: key })
    await call('memory.restore', { memory_key: key })
    expect(await told()).toEqual([tombstoned(), `memory.restored ${key}`])
    const { version } = await standing('Another value, to be deleted by version.')
    await call('memory.delete_version', { memory_key: key, version })
    expect(await told()).toEqual([tombstoned()])
  })

  it('the undo of a supersession or a rejection is not told [WHK063, WHK052, WHK053]', async () => {
    await standing()
    const { version, status } = await call('memory.reject', { memory_key: key })
    expect(status).toBe('rejected')
    const { rows } = await call('memory.history', { memory_key: key })
    expect(rows[0]).toMatchObject({ version, status: 'rejected' })
    await call('memory.restore', { memory_key: key })
    expect(await told()).toEqual([])
  })

  it('memory.clear is told row by row, with the version that it tombstoned [WHK024, WHK139]', async () => {
    const rows = []
    for (const n of [1, 2, 3]) rows.push(await team.set(`${key}/${n}`, `Row ${n} of the cleared ones.`, { agent: 'cleared' }))
    await clear()
    await call('memory.clear', { agent: 'cleared', confirm_subject: 'cleared' })
    const events = await queued(team)
    expect(events.map(({ type }) => type)).toEqual(Array(3).fill('memory.tombstoned'))
    expect(events.map(({ version }) => version)).toEqual(rows.map(({ version }) => version))
  })

  it('memory.move is told of its source alone: revised with a redirect, tombstoned without [WHK019, WHK028]', async () => {
    await standing()
    await call('memory.move', { memory_key: key, to_key: `${key}/to`, keep_redirect: true })
    expect(await told()).toEqual([revised()])
    await clear()
    await call('memory.move', { memory_key: `${key}/to`, to_key: `${key}/on`, keep_redirect: false })
    expect(await told()).toEqual([tombstoned(`${key}/to`)])
  })

  it('memory.redact is told with the scrubbed version, which is older than the head; once [WHK031, WHK141]', async () => {
    const { version } = await standing('The old secret is swordfish.')
    await team.set(key, 'There is no secret.')
    await clear()
    for (let again = 0; again < 2; again++) await call('memory.redact', { memory_key: key, version, reason: 'x' })
    expect(await queued(team)).toMatchObject([{ type: 'memory.redacted', memory_key: key, version }])
  })

  it('a pattern is told of each live row that its sweep tombstones [WHK026]', async () => {
    for (const n of [1, 2, 3]) await team.set(`${key}/${n}`, `Row ${n} names zebrafish.`)
    await clear()
    await call('blacklist.add', { pattern: 'zebrafish', sweep: true })
    expect((await told()).toSorted()).toEqual([1, 2, 3].map((n) => tombstoned(`${key}/${n}`)))
  })

  it('namespace.rollback is told by what it does to a key; namespace.restore is not told [WHK018, WHK027, WHK030, WHK010]', async () => {
    await team.set(`${key}/changed`, 'The first value of a changed key.')
    await team.set(`${key}/dead`, 'A row that is dead now.')
    await team.set(`${key}/tags`, 'A row that only gets a tag.')
    await team.set(`${key}/revived`, 'A row that was dead then.')
    await call('memory.delete', { memory_key: `${key}/revived` })
    team.clock.now += 60_000
    const { snapshot_id } = await call('namespace.snapshot', { name: key })
    const to = new Date(team.clock.now).toISOString()
    team.clock.now += 60_000
    await team.set(`${key}/changed`, 'The second value of a changed key.')
    await call('memory.delete', { memory_key: `${key}/dead` })
    await team.set(`${key}/tags`, 'A row that only gets a tag.', { tags: ['late'] })
    await team.set(`${key}/revived`, 'It lives since then.')
    await team.set(`${key}/born`, 'A row that was born later.')
    await clear()
    await call('namespace.rollback', { to, reason: 'x', key_prefix: `${key}/`, dry_run: false })
    expect((await told()).toSorted()).toEqual(
      [revised(`${key}/changed`), `memory.restored ${key}/dead`, tombstoned(`${key}/revived`), tombstoned(`${key}/born`)].toSorted(),
    )
    await team.set(`${key}/changed`, 'The third value of a changed key.')
    await clear()
    await call('namespace.restore', { snapshot_id, reason: 'x', dry_run: false })
    expect(await told()).toEqual([])
  })
})

describe('what is never told', () => {
  it('touch, pin, unpin, lock, unlock, verify and apply, whatever they do to the row [WHK048, WHK049, WHK050, WHK051]', async () => {
    await standing('A row to touch and pin.')
    const address = { memory_key: key }
    await call('memory.touch', { memory_key: key, ttl_seconds: 3600 })
    await call('memory.pin', { ...address, value: 'A row to touch and pin.' })
    await call('memory.unpin', { memory_key: key })
    await call('memory.pin', { ...address, value: 'A pin that writes another value.' })
    await call('memory.unpin', { memory_key: key })
    await call('memory.lock', { ...address, reason: 'x' })
    await call('memory.unlock', address)
    await call('memory.verify', { memory_key: key })
    const apply = (action: Omit<CallInputOf<'memory.apply'>, 'keys' | 'reason'>) =>
      call('memory.apply', { keys: [key], reason: 'x', dry_run: false, ...action })
    await apply({ action: 'label', label: { tags: ['l'] } })
    await apply({ action: 'demote', demote: { confidence_factor: 0.5 } })
    await apply({ action: 'expire', expire: { ttl_seconds: 7200 } })
    await apply({ action: 'lock', lock: { mode: 'no_delete' } })
    await call('memory.unlock', address)
    await apply({ action: 'delete' })
    expect((await call('memory.get', { memory_key: key })).found).toBe(false)
    expect(await told()).toEqual([])
  })

  it('counters, quarantine, categories, links, collapse and orphans [WHK052, WHK054, WHK056, WHK057]', async () => {
    await standing('A row with counters.')
    await team.set(`${key}/peer`, 'A row beside the one with counters.')
    await clear()
    for (let n = 0; n < 3; n++) await call('memory.outcome', { memory_key: key, outcome: 'negative' })
    expect(await call('memory.history', { memory_key: key })).toMatchObject({ rows: [{ status: 'rejected' }, {}] })
    await call('namespace.register_category', { category: key })
    await call('memory.assign_category', { memory_key: `${key}/peer`, category: key })
    await team.set(`${key}/to`, 'A row to link to.')
    await clear()
    await call('memory.link', { memory_key: `${key}/peer`, to_key: `${key}/to` })
    await call('memory.reindex', {})
    await call('memory.dedup_collapse', {})
    await call('memory.resolve_orphan_duplicates', {})
    expect(await told()).toEqual([])
  })
})
