import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

let loom: TestEngine
beforeAll(async () => void (loom = await openTestEngine()))
afterAll(() => loom.close())

const TO = { to_namespace: 'target' } as const
const set = (memory_key: string, value: unknown, more: object = {}) =>
  loom.call('memory.set', { memory_key, value: value as string, ...more })
const copy = (keys: string[], more: object = {}) => loom.call('memory.copy_to', { ...TO, keys, ...more })
const there = (memory_key: string) => loom.call('memory.get', { namespace: 'target', memory_key })

describe('memory.copy_to', () => {
  it('carries what a row says and where it is from, and neither pin, lock, expiry nor counters', async () => {
    await set('office/city', 'The office is in Lyon.', {
      tags: ['place'],
      entities: ['Lyon'],
      confidence: 0.75,
      valid_at: '2024-01-01',
      relations: [['office', 'in', 'Lyon']],
      pinned: true,
      ttl_seconds: 3600,
      source_resource_id: 'wiki/1',
    })
    await loom.call('memory.lock', { memory_key: 'office/city', reason: 'held' })
    const answer = await copy(['office/city'])
    const [first] = answer.copied
    expect(first).toMatchObject({ memory_key: 'office/city', status: 'active', conflict_verdict: 'clear' })
    const row = await there('office/city')
    expect(row).toMatchObject({
      memory_id: first?.to_memory_id,
      value: 'The office is in Lyon.',
      tags: ['place'],
      entities: ['lyon'],
      relations: [{ subject: 'office', predicate: 'in', object: 'Lyon' }],
      confidence: 0.75,
      valid_at: '2024-01-01T00:00:00.000Z',
      source_class: 'user',
      source_trace: 'local/office/city',
      source_resource_id: 'wiki/1',
      pinned: false,
      lock: null,
      expires_at: null,
      reinforcement_count: 0,
    })
    expect(first?.memory_id).not.toBe(first?.to_memory_id)
    const { rows } = await loom.call('audit.list', { namespace: 'target', op: 'memory.copy_to' })
    expect(rows).toHaveLength(1)
  })

  it('run twice writes nothing the second time, and reinforces nothing', async () => {
    await set('again', 'The kettle holds two litres.')
    await copy(['again'])
    const { version } = await there('again')
    expect(await copy(['again'])).toEqual({
      copied: [],
      merged: [],
      skipped: [{ memory_key: 'again', reason: 'unchanged' }],
      dry_run: false,
    })
    expect(await there('again')).toMatchObject({ version, reinforcement_count: 0 })
  })

  it('judges each row where it goes: equal text there merges, a contradiction is conflicted', async () => {
    await loom.call('memory.set', { namespace: 'target', memory_key: 'held/lunch', value: 'Lunch is at noon.' })
    await loom.call('memory.set', { namespace: 'target', memory_key: 'held/deploy', value: 'Deploys to prod run on Friday.' })
    await set('lunch', 'Lunch is at noon.')
    await set('deploy', 'Deploys to prod never run on Friday.')
    const answer = await copy(['lunch', 'deploy'])
    expect(answer.merged).toEqual([{ memory_key: 'lunch', merged_into_key: 'held/lunch' }])
    expect(answer.copied).toMatchObject([{ memory_key: 'deploy', status: 'conflicted', conflict_verdict: 'conflict' }])
  })

  it('leaves a live key as it is, and revises it under its guards with overwrite', async () => {
    await loom.call('memory.set', { namespace: 'target', memory_key: 'desk', value: 'The desk is oak.' })
    await loom.call('memory.pin', { namespace: 'target', memory_key: 'chair', value: 'The chair is ash.' })
    await set('desk', 'The desk is elm, since May.')
    await set('chair', 'The chair is elm, since May.')
    expect((await copy(['desk', 'chair'])).skipped).toEqual([
      { memory_key: 'desk', reason: 'exists' },
      { memory_key: 'chair', reason: 'exists' },
    ])
    const forced = await copy(['desk', 'chair'], { overwrite: true })
    expect(forced).toMatchObject({ copied: [{ memory_key: 'desk' }], skipped: [{ memory_key: 'chair', reason: 'pinned' }] })
    expect(await there('desk')).toMatchObject({ value: 'The desk is elm, since May.' })
  })

  it('never copies a row of high sensitivity, and names blocked, missing and dry', async () => {
    await set('card', 'The card is 4111 1111 1111 1111.')
    await set('blocked', 'The word is xyzzyplugh.')
    await loom.call('blacklist.add', { namespace: 'target', pattern: 'xyzzyplugh' })
    expect((await copy(['card', 'blocked', 'nowhere'])).skipped).toEqual([
      { memory_key: 'card', reason: 'high' },
      { memory_key: 'blocked', reason: 'blacklist' },
      { memory_key: 'nowhere', reason: 'not_found' },
    ])
    await set('dry', 'Dry runs store nothing at all.')
    expect(await copy(['dry'], { dry_run: true })).toMatchObject({ copied: [{ memory_key: 'dry', status: 'active' }], dry_run: true })
    expect((await there('dry')).found).toBe(false)
  })

  it('takes a filter with its limit, rows of every agent, and another agent for the copies', async () => {
    await loom.call('memory.set', { agent: 'one', memory_key: 'f/1', value: 'The first crate weighs nine kilos.', tags: ['crate'] })
    await loom.call('memory.set', { agent: 'two', memory_key: 'f/2', value: 'The boiler room smells of tar.', tags: ['crate'] })
    const answer = await loom.call('memory.copy_to', { ...TO, filter: { tags_any: ['crate'] }, limit: 10, to_agent: 'heir' })
    expect(answer.copied.map((row) => row.memory_key).toSorted()).toEqual(['f/1', 'f/2'])
    expect(await loom.call('memory.get', { namespace: 'target', agent: 'heir', memory_key: 'f/2' })).toMatchObject({
      found: true,
      agent: 'heir',
    })
  })

  it('refuses the same namespace, another org, a namespace without the role, and a token bounded to one session', async () => {
    const bad = (more: object, caller: object = {}) => loom.call('memory.copy_to', { ...TO, keys: ['desk'], ...more }, caller)
    await expect(bad({ to_namespace: 'local' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'to_namespace' } })
    await expect(bad({ to_org: 'acme' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'to_org' } })
    await expect(bad({ filter: { key_prefix: 'x' } })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    const writer = { ...localClaims('human', 'ada'), grants: { local: 'writer' } as const }
    await expect(bad({}, { claims: writer })).rejects.toMatchObject({ code: 'FORBIDDEN', fields: { role_needed: 'writer' } })
    const ofAgent = { ...localClaims('human', 'ada'), agent: 'one' }
    await expect(bad({ to_agent: 'two' }, { claims: ofAgent })).rejects.toMatchObject({ code: 'FORBIDDEN', fields: { field: 'to_agent' } })
    const own = await loom.call('memory.copy_to', { to_namespace: 'agents', keys: ['f/1', 'f/2'], dry_run: true }, { claims: ofAgent })
    expect(own.skipped).toEqual([{ memory_key: 'f/2', reason: 'not_found' }])
    const session = { ...localClaims('human', 'ada'), own_session: true, session_id: 's1' }
    await expect(bad({}, { claims: session })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})
