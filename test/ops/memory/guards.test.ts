import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryLock } from '../../../shared/contract/ops/memory/lock.ts'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

const token = (role: 'viewer' | 'writer' | 'admin', more: Partial<Claims> = {}) => ({
  claims: {
    ...localClaims('process', 'bot'),
    org: 'acme',
    grants: { chat: role },
    agent: 'bot',
    token_id: 'abcdefghijklmnop',
    ...more,
  },
})

describe('locks and roles', () => {
  let loom: TestEngine
  let now = Date.now()
  beforeAll(async () => {
    loom = await openTestEngine({ mode: 'multi', host: 'server', clock: () => now })
  })
  afterAll(() => loom.close())

  const writer = token('writer')
  const admin = token('admin')
  const set = (memory_key: string, value: unknown, more: object = {}) =>
    loom.call('memory.set', { memory_key, value, ...more } as never, writer)
  const lock = (memory_key: string, more: object = {}, as = writer) =>
    loom.call('memory.lock', { memory_key, reason: 'audit', ...more }, as)
  const later = (seconds: number) => new Date(now + seconds * 1000).toISOString()

  it('guards a row against edits and deletion [CHG010, CHG034]', async () => {
    await set('ro', 'Read only as it stands.')
    const before = await countStores(loom.database)
    expect(await lock('ro')).toMatchObject({
      locked: true,
      lock: { mode: 'read_only', reason: 'audit', locked_by: 'process:bot', until: null },
    })
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
    const attempts = [
      () => set('ro', 'Changed.'),
      () => loom.call('memory.update', { memory_key: 'ro', value: 'Changed.' }, writer),
      () => loom.call('memory.touch', { memory_key: 'ro', ttl_seconds: 60 }, writer),
      () => loom.call('memory.delete', { memory_key: 'ro' }, writer),
      () => loom.call('memory.move', { memory_key: 'ro', to_key: 'rw' }, writer),
    ]
    for (const attempt of attempts)
      expect((await refused(attempt(), 'LOCKED')).fields).toMatchObject({ mode: 'read_only', reason: 'audit' })
    expect(await loom.call('memory.get', { memory_key: 'ro' }, writer)).toMatchObject({
      value: 'Read only as it stands.',
      expires_at: null,
    })
  })

  it('refuses deletion, redaction and clearing under no_delete, and lets the value change', async () => {
    const first = await set('nd', 'The first wording.')
    await lock('nd', { mode: 'no_delete' })
    await set('nd', 'The second wording, changed under the lock.')
    await refused(loom.call('memory.delete', { memory_key: 'nd' }, writer), 'LOCKED')
    await refused(loom.call('memory.redact', { memory_key: 'nd', version: first.version, reason: 'x' }, admin), 'LOCKED')
    expect((await loom.call('memory.clear', { agent: 'bot', confirm_subject: 'bot', dry_run: true }, admin)).refused).toContainEqual(
      expect.objectContaining({ memory_key: 'nd', code: 'LOCKED' }),
    )
    expect(await loom.call('memory.touch', { memory_key: 'nd', ttl_seconds: 600 }, writer)).toMatchObject({ touched: 1 })
  })

  it('refuses rejection under both modes [CHG036]', async () => {
    for (const mode of ['no_delete', 'read_only'] as const) {
      await set(`rej/${mode}`, `A row under the lock ${mode}.`)
      await lock(`rej/${mode}`, { mode })
      await refused(loom.call('memory.reject', { memory_key: `rej/${mode}` }, writer), 'LOCKED')
    }
  })

  it('lets a writer tighten and never loosen [CHG038, CHG039]', async () => {
    await set('ladder', 'The ladder has twelve rungs.')
    expect(await lock('ladder', { mode: 'no_delete', ttl_seconds: 60 })).toMatchObject({ locked: true, lock: { until: later(60) } })
    expect(await lock('ladder', { mode: 'no_delete', ttl_seconds: 90 })).toMatchObject({ lock: { until: later(90) } })
    expect((await refused(lock('ladder', { mode: 'no_delete', ttl_seconds: 30 }), 'FORBIDDEN')).fields).toEqual({ role_needed: 'admin' })
    expect(await lock('ladder', { mode: 'read_only' })).toMatchObject({ lock: { mode: 'read_only', until: null } })
    await refused(lock('ladder', { mode: 'no_delete' }), 'FORBIDDEN')
    await refused(lock('ladder', { mode: 'read_only', ttl_seconds: 60 }), 'FORBIDDEN')
    expect(await lock('ladder', { mode: 'no_delete' }, admin)).toMatchObject({ lock: { mode: 'no_delete' } })
  })

  it('ends at its time, by until and by ttl_seconds [CHG040]', async () => {
    await set('timed/until', 'The first timed row.')
    await set('timed/ttl', 'Another row, with a time to live.')
    await lock('timed/until', { until: later(60) })
    await lock('timed/ttl', { ttl_seconds: 60 })
    await refused(set('timed/until', 'Changed.'), 'LOCKED')
    await refused(lock('timed/until', { until: later(60), ttl_seconds: 60 }), 'INVALID_ARGUMENT')
    now += 60_000
    expect(await set('timed/until', 'The first row may change by now.')).toMatchObject({ noop: false })
    expect(await loom.call('memory.delete', { memory_key: 'timed/ttl' }, writer)).toMatchObject({ tombstoned: true })
  })

  it('leaves nothing in force for a key without a row [CHG041]', async () => {
    expect(await lock('later')).toEqual({ locked: false, reason: 'not_found', memory_id: '', lock: null })
    await set('later', 'Written after the lock that was none.')
    expect(await set('later', 'And written once more, in other words.')).toMatchObject({ noop: false })
  })

  it('has the fields of the contract, and repeats its reason [CHG056]', async () => {
    const parsed = memoryLock.input.parse({ memory_key: 'k', reason: 'r' })
    expect(parsed).toMatchObject({ mode: 'read_only', run_id: '' })
    expect(Object.keys(memoryLock.input.shape)).toEqual(
      expect.arrayContaining(['until', 'ttl_seconds', 'locked_by', 'run_id', 'namespace']),
    )
    await set('why', 'The row with a reason.')
    await refused(loom.call('memory.lock', { memory_key: 'why' } as never, writer), 'INVALID_ARGUMENT')
    await lock('why', { reason: 'quarter close', locked_by: 'finance' })
    const error = await refused(set('why', 'Changed.'), 'LOCKED')
    expect(error.message).toContain('quarter close')
    expect(error.fields).toMatchObject({ mode: 'read_only', reason: 'quarter close', locked_by: 'finance', until: null })
  })

  it('needs admin to unlock and to clear [API002]', async () => {
    await set('roles', 'A row for the roles.')
    await lock('roles')
    const calls = [
      (as: typeof writer) => loom.call('memory.unlock', { memory_key: 'roles' }, as),
      (as: typeof writer) =>
        loom.call('memory.clear', { agent: 'nobody', confirm_subject: 'nobody' }, { claims: { ...as.claims, agent: '' } }),
      (as: typeof writer) => loom.call('memory.redact', { memory_key: 'roles', version: 1, reason: 'x' }, as),
      (as: typeof writer) => loom.call('namespace.register_category', { category: 'c' }, as),
    ]
    for (const call of calls) {
      expect((await refused(call(writer), 'FORBIDDEN')).fields).toMatchObject({ role_needed: 'admin' })
      expect(await call(admin)).toBeTruthy()
    }
  })

  it('needs writer for the others, and viewer is too little', async () => {
    const viewer = token('viewer')
    const key = { memory_key: 'roles' }
    const calls = [
      (as: typeof writer) => loom.call('memory.lock', { ...key, reason: 'x' }, as),
      (as: typeof writer) =>
        loom.call('memory.touch', { ...key, clear_expiry: true, dry_run: true }, as).catch((error: { code: string }) => error),
      (as: typeof writer) => loom.call('memory.verify', key, as),
      (as: typeof writer) => loom.call('memory.outcome', { ...key, outcome: 'neutral' }, as),
      (as: typeof writer) => loom.call('memory.apply', { keys: ['roles'], action: 'delete', reason: 'x' }, as),
    ]
    for (const call of calls) expect(await call(writer)).toBeTruthy()
    for (const op of ['memory.lock', 'memory.verify', 'memory.reject'] as const) {
      const error = await refused(loom.call(op, { ...key, reason: 'x' }, viewer), 'FORBIDDEN')
      expect(error.fields).toMatchObject({ role_needed: 'writer' })
    }
  })
})

describe('memory.update across identities', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine({ mode: 'multi', host: 'server' })
  })
  afterAll(() => loom.close())
  const writer = token('writer', { agent: '' })

  it('finds the one live row anywhere in the namespace [CHG002, CHG017]', async () => {
    const other = token('writer', { agent: 'other' })
    const row = await loom.call('memory.set', { memory_key: 'anywhere', value: 'Kept by the other agent.', session_id: 's9' }, other)
    const updated = await loom.call('memory.update', { memory_key: 'anywhere', value: 'Corrected by somebody else.' }, writer)
    expect(updated).toMatchObject({ updated: true, memory_id: row.memory_id })
    expect(await loom.call('memory.get_by_id', { memory_id: row.memory_id }, writer)).toMatchObject({
      agent: 'other',
      session_id: 's9',
      value: 'Corrected by somebody else.',
    })
  })

  it('judges the new value like a set [CHG020]', async () => {
    const mine = token('writer')
    await loom.call(
      'memory.set',
      { memory_key: 'deploy/window', value: 'Production deploys run Tuesday and Thursday only; never Friday.' },
      mine,
    )
    await loom.call('memory.set', { memory_key: 'ops/deploys', value: 'The on-call rota is kept in the wiki.' }, mine)
    const updated = await loom.call(
      'memory.update',
      { memory_key: 'ops/deploys', value: 'Production deploys run Monday to Thursday.' },
      mine,
    )
    expect(updated).toMatchObject({
      updated: true,
      conflict_verdict: 'conflict',
      status: 'conflicted',
      peers: [{ memory_key: 'deploy/window' }],
    })
  })

  it('answers alike for an unknown id, a foreign namespace and another user [CHG022]', async () => {
    const owner = token('admin', { grants: { '*': 'admin' }, agent: 'a' })
    const foreign = await loom.call('memory.set', { namespace: 'ops', memory_key: 'f', value: 'A row of another namespace.' }, owner)
    const users = await loom.call(
      'memory.set',
      { namespace: 'chat', user_id: 'u2', memory_key: 'u', value: 'A row of another user.' },
      owner,
    )
    const bound = token('writer', { user_id: 'u1' })
    const answers = []
    for (const memory_id of ['unknown', foreign.memory_id, users.memory_id]) {
      answers.push(await loom.call('memory.update_by_id', { memory_id, value: 'Changed.' }, bound))
    }
    expect(answers[0]).toMatchObject({ updated: false, reason: 'not_found', memory_id: '' })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })
})
