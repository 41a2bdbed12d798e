import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Claims } from '../../shared/contract/ops/engine/info.ts'
import { localClaims } from '../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { refused } from '../helpers/errors.ts'
import { countStores } from '../helpers/store-counts.ts'

const token = (more: Partial<Claims>): Claims => ({
  ...localClaims('process', 'bot'),
  token_id: 'abcdefghijklmnop',
  org: 'acme',
  grants: { chat: 'writer' },
  ...more,
})

describe('identity and rights', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine({ mode: 'multi', host: 'server' })
  })
  afterAll(() => loom.close())
  const set = (claims: Claims, more: object) =>
    loom.call('memory.set', { memory_key: 'k', value: 'A fact of the matrix.', ...more }, { claims })

  it('fills what the token fixes [API017]', async () => {
    const claims = token({ agent: 'bot-a', user_id: 'u1', own_session: true, session_id: 'tok-1' })
    const { memory_id } = await set(claims, {})
    const row = await loom.call('memory.get_by_id', { memory_id }, { claims })
    expect(row).toMatchObject({
      org: 'acme',
      namespace: 'chat',
      agent: 'bot-a',
      user_id: 'u1',
      session_id: 'tok-1',
      actor: 'process:bot',
      source_class: 'agent',
    })
  })

  it('refuses a call that contradicts its token, naming the field [API031]', async () => {
    for (const field of ['org', 'agent', 'user_id', 'session_id']) {
      const claims = token({ agent: 'bot-a', user_id: 'u1', own_session: true, session_id: 's1' })
      const error = await refused(set(claims, { [field]: 'another' }), 'FORBIDDEN')
      expect(error.fields).toEqual({ field })
    }
  })

  it('names the identity field that nothing fills', async () => {
    expect((await refused(set(token({ grants: { chat: 'writer', ops: 'writer' } }), {}), 'MISSING_IDENTITY_FIELD')).fields).toEqual({
      field: 'namespace',
    })
    expect((await refused(set(token({}), {}), 'MISSING_IDENTITY_FIELD')).fields).toEqual({ field: 'agent' })
  })

  it('needs the role, and names it', async () => {
    const error = await refused(set(token({ grants: { chat: 'viewer' }, agent: 'a' }), {}), 'FORBIDDEN')
    expect(error.fields).toMatchObject({ role_needed: 'writer' })
    await refused(set(token({ agent: 'a' }), { namespace: 'ops' }), 'FORBIDDEN')
    await refused(loom.call('memory.unlock', { memory_key: 'k' }, { claims: token({}) }), 'FORBIDDEN')
    expect(await loom.call('memory.unlock', { memory_key: 'zz' }, { claims: token({ grants: { chat: 'admin' } }) })).toMatchObject({
      reason: 'not_found',
    })
    await refused(loom.call('namespace.register', { namespace: 'new' }, { claims: token({ grants: { new: 'admin' } }) }), 'FORBIDDEN')
    await loom.call('namespace.register', { namespace: 'new' }, { claims: token({ grants: { '*': 'org_admin' } }) })
  })

  it('shows a bound token its own rows alone', async () => {
    const mine = token({ agent: 'bot-b', user_id: 'u2' })
    const other = await set(token({ agent: 'bot-b', user_id: 'u3' }), {
      memory_key: 'bound/key',
      value: 'The locker number of the third user.',
    })
    expect(await loom.call('memory.get', { memory_key: 'bound/key' }, { claims: mine })).toMatchObject({
      found: false,
      reason: 'not_found',
    })
    expect(await loom.call('memory.get_by_id', { memory_id: other.memory_id }, { claims: mine })).toMatchObject({
      found: false,
      reason: 'not_found',
    })
    expect((await loom.call('memory.search', { query: 'locker number third user' }, { claims: mine })).results).toEqual([])
    expect((await loom.call('memory.list', {}, { claims: mine })).rows.filter((row) => row.user_id !== 'u2')).toEqual([])
    expect(await loom.call('memory.delete', { memory_key: 'bound/key' }, { claims: mine })).toMatchObject({ found: false })
    await refused(loom.call('blacklist.add', { pattern: 'zzz' }, { claims: mine }), 'FORBIDDEN')
  })

  it('keeps orgs apart', async () => {
    const { memory_id } = await set(token({ agent: 'a' }), { memory_key: 'org/key', value: 'A fact that belongs to acme.' })
    const foreign = token({ org: 'other', grants: { '*': 'org_admin' } })
    expect(await loom.call('memory.get_by_id', { memory_id }, { claims: foreign })).toMatchObject({ found: false })
    expect((await loom.call('memory.search', { namespace: 'chat', query: 'fact acme' }, { claims: foreign })).results).toEqual([])
    expect((await loom.call('namespace.list', {}, { claims: foreign })).namespaces).toEqual([])
  })

  it('stamps who wrote, and takes only a lower class [SET003]', async () => {
    const person = { ...token({ agent: 'a' }), kind: 'human' as const, subject: 'alice' }
    const { memory_id } = await set(person, { memory_key: 'class/user', value: 'Alice wrote this one by hand.' })
    expect(await loom.call('memory.get_by_id', { memory_id }, { claims: person })).toMatchObject({
      actor: 'human:alice',
      source_class: 'user',
    })
    await refused(set(person, { memory_key: 'class/x', source_class: 'agent' }), 'INVALID_ARGUMENT')
  })
})

describe('audit and repeats', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  it('leaves one audit row a change, with hashes and never the value [AUD001, AUD002, AUD005]', async () => {
    const before = (await countStores(loom.database)).audit
    const set = await loom.call('memory.set', { memory_key: 'audit/a', value: 'SENTINEL text of the audit test.' })
    await loom.call('memory.delete', { memory_key: 'audit/a' })
    await loom.call('memory.restore', { memory_key: 'audit/a' })
    await loom.call('memory.lock', { memory_key: 'audit/a', reason: 'x' })
    await loom.call('memory.unlock', { memory_key: 'audit/a' })
    await loom.call('blacklist.add', { pattern: 'nothing-like-it' })
    await loom.call('namespace.register', { description: 'd' })
    expect((await countStores(loom.database)).audit - before).toBe(7)
    const rows = await loom.database.reader.selectFrom('audit').selectAll().orderBy('audit_id').execute()
    expect(rows[0]).toMatchObject({
      op: 'memory.set',
      memory_key: 'audit/a',
      memory_id: set.memory_id,
      content_sha256: set.content_sha256,
      actor: 'human:local',
      source_class: 'user',
      conflict_verdict: 'clear',
      version: set.version,
    })
    expect(JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))).not.toContain('SENTINEL')
  })

  it('leaves none for a refusal and a merge [AUD003]', async () => {
    await loom.call('memory.set', { memory_key: 'audit/held', value: 'The lighthouse is painted white and red.' })
    await loom.call('memory.lock', { memory_key: 'audit/held', reason: 'x' })
    const before = (await countStores(loom.database)).audit
    await refused(loom.call('memory.set', { memory_key: 'audit/held', value: 'The lighthouse is painted blue.' }), 'LOCKED')
    await loom.call('memory.set', { memory_key: 'audit/twin', value: 'the lighthouse is painted white and red' })
    expect((await countStores(loom.database)).audit).toBe(before)
  })

  it('answers a repeat under one key again and writes nothing', async () => {
    const call = { memory_key: 'repeat', value: 'The repeat is answered, not run.', ttl_seconds: 600 }
    const first = await loom.call('memory.set', call, { idempotencyKey: 'key-1' })
    const before = await countStores(loom.database)
    const again = await loom.call('memory.set', call, { idempotencyKey: 'key-1' })
    expect(again).toEqual(first)
    expect(await countStores(loom.database)).toEqual(before)
    await refused(loom.call('memory.set', { ...call, value: 'Another body.' }, { idempotencyKey: 'key-1' }), 'IDEMPOTENCY_MISMATCH')
  })

  it('answers a repeat of a call that found nothing in the same types', async () => {
    const call = { memory_key: 'never/was' }
    const first = await loom.call('memory.delete', call, { idempotencyKey: 'key-0' })
    expect(await loom.call('memory.delete', call, { idempotencyKey: 'key-0' })).toEqual(first)
  })

  it('runs the same call once when it comes twice at the same moment', async () => {
    const call = { memory_key: 'twice', value: 'Sent twice at once.', ttl_seconds: 600 }
    const answers = await Promise.all([1, 2, 3].map(() => loom.call('memory.set', call, { idempotencyKey: 'key-2' })))
    expect(new Set(answers.map((answer) => answer.version)).size).toBe(1)
  })

  it('writes nothing for a caller that went away', async () => {
    const gone = AbortSignal.abort()
    await refused(loom.call('memory.set', { memory_key: 'gone', value: 'Never stored.' }, { signal: gone }), 'CANCELLED')
    expect(await loom.call('memory.get', { memory_key: 'gone' })).toMatchObject({ found: false })
  })

  it('refuses bad input with the path of the field', async () => {
    const bad = async (input: object, field: string): Promise<void> => {
      const error = await refused(loom.call('memory.set', { memory_key: 'bad', value: 'x', ...input }), 'INVALID_ARGUMENT')
      expect(error.fields['field']).toBe(field)
    }
    await bad({ value: undefined }, 'value')
    await bad({ memory_key: 'k'.repeat(10_000) }, 'memory_key')
    await bad({ memory_key: ' padded' }, 'memory_key')
    await bad({ memory_key: 'a\u0000b' }, 'memory_key')
    await bad({ value: 'nul \u0000 inside' }, 'value')
    await bad({ value: { deep: ['lone \ud800 surrogate'] } }, 'value')
    await bad({ tags: ['ok', 7] }, 'tags[1]')
    await bad({ confidence: 1.5 }, 'confidence')
    await bad({ valid_at: '2026-02-30' }, 'valid_at')
    await bad({ ttl_seconds: 60, clear_expiry: true }, 'clear_expiry')
    await bad({ valid_at: '2026-02-02', valid_to: '2026-02-01' }, 'valid_to')
    await bad({ relations: [['a', 'b']] }, 'relations[0]')
    let nested: unknown = 'x'
    for (let level = 0; level < 100; level++) nested = [nested]
    await bad({ value: nested }, 'value')
    await refused(loom.call('memory.set', [] as never), 'INVALID_ARGUMENT')
  })
})
