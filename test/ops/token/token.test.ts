import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

const DAY_MS = 86_400_000
let now = Date.UTC(2026, 5, 1, 12, 0, 30)
let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, clock: () => now, config: { rates: UNLIMITED } })
})
afterAll(() => loom.close())

const as = (grants: Claims['grants'], more: Partial<Claims> = {}): { claims: Claims } => ({
  claims: { ...localClaims('human', 'ada'), org: 'acme', token_id: 'abcdefghijklmnop', grants, ...more },
})
const CHAT_ADMIN = as({ chat: 'admin', ops: 'writer' })
const ORG_ADMIN = as({ '*': 'org_admin' })
const PLATFORM = as({ '*': 'platform_admin' }, { org: '*' })
const ALL_ADMIN = as({ '*': 'admin' })

const mint = (grants: Claims['grants'], caller = ORG_ADMIN, more: Partial<CallInputOf<'token.mint'>> = {}) =>
  loom.call('token.mint', { subject: 'bob', kind: 'process', grants, ...more }, caller)
const idsSeen = async (caller: { claims: Claims }, more = {}): Promise<string[]> =>
  (await loom.call('token.list', { limit: 500, ...more }, caller)).tokens.map((one) => one.token_id)

describe('token.mint', () => {
  it('answers the token once, with claims that its holder then has; only a hash of the secret is stored', async () => {
    const { token, claims } = await mint({ chat: 'writer' }, ORG_ADMIN, { agent: 'scribe', user_id: 'u1', note: 'for the bot' })
    expect(token).toMatch(/^loom_[a-z2-7]{16}_[A-Za-z0-9_-]{43}$/)
    expect(claims).toEqual({
      token_id: token.slice(5, 21),
      subject: 'bob',
      kind: 'process',
      org: 'acme',
      grants: { chat: 'writer' },
      agent: 'scribe',
      user_id: 'u1',
      own_session: false,
      session_id: '',
      device_id: '',
      expires_at: new Date(now + 365 * DAY_MS).toISOString(),
    })
    expect(await loom.engine.authenticate(token)).toEqual(claims)
    const { rows } = await sql<{ all: string }>`SELECT t::text AS all FROM loom.auth_token t WHERE token_id = ${claims.token_id}`.execute(
      loom.database.reader,
    )
    expect(rows[0]?.all).not.toContain(token.slice(22))
    const audit = await loom.database.reader.selectFrom('audit').selectAll().where('op', '=', 'token.mint').execute()
    expect(audit.at(-1)).toMatchObject({ org: 'acme', actor: 'human:ada', subject: `token:-/-/-/${claims.token_id}` })
  })

  it('ends when its days are over, and never without', async () => {
    const [brief, lasting] = [
      await mint({ chat: 'viewer' }, ORG_ADMIN, { ttl_days: 1 }),
      await mint({ chat: 'viewer' }, ORG_ADMIN, { ttl_days: null }),
    ]
    expect(lasting.claims.expires_at).toBe(null)
    now += DAY_MS - 1
    await loom.engine.authenticate(brief.token)
    now += 1
    await refused(loom.engine.authenticate(brief.token), 'UNAUTHENTICATED')
    await loom.engine.authenticate(lasting.token)
  })

  it('gives a session of its own a name, and takes the one given', async () => {
    const own = await mint({ chat: 'writer' }, ORG_ADMIN, { own_session: true })
    expect(own.claims.session_id).toBe(`tok-${own.claims.token_id}`)
    expect((await mint({ chat: 'writer' }, ORG_ADMIN, { own_session: true, session_id: 'desk' })).claims.session_id).toBe('desk')
    expect((await refused(mint({ chat: 'writer' }, ORG_ADMIN, { session_id: 'desk' }), 'INVALID_ARGUMENT')).fields).toEqual({
      field: 'session_id',
    })
    expect((await mint({ chat: 'writer' }, ORG_ADMIN, { user_id: '-' })).claims.user_id).toBe('')
  })

  it('hands on no role above one’s own, in no namespace that one does not administer', async () => {
    await mint({ chat: 'admin' }, CHAT_ADMIN)
    await mint({ '*': 'org_admin' }, ORG_ADMIN)
    await mint({ '*': 'admin', chat: 'viewer' }, ORG_ADMIN)
    await mint({ '*': 'platform_admin' }, PLATFORM, { org: 'acme' })
    for (const [grants, caller, role] of [
      [{ chat: 'viewer', ops: 'viewer' }, CHAT_ADMIN, 'admin'],
      [{ other: 'viewer' }, CHAT_ADMIN, 'admin'],
      [{ '*': 'viewer' }, CHAT_ADMIN, 'org_admin'],
      [{ '*': 'viewer' }, ALL_ADMIN, 'org_admin'],
      [{ '*': 'org_admin' }, CHAT_ADMIN, 'org_admin'],
      [{ chat: 'org_admin' }, CHAT_ADMIN, 'org_admin'],
      [{ '*': 'platform_admin' }, ORG_ADMIN, 'platform_admin'],
    ] as const) {
      const error = await refused(mint(grants, caller), 'FORBIDDEN')
      expect([grants, error.fields]).toEqual([grants, { field: 'grants', role_needed: role }])
    }
  })

  it('grants org_admin under * alone, and to no bound token', async () => {
    for (const [grants, more] of [
      [{ chat: 'org_admin' }, {}],
      [{ '*': 'org_admin' }, { user_id: 'u1' }],
      [{ '*': 'org_admin' }, { own_session: true }],
    ] as const)
      expect((await refused(mint(grants, ORG_ADMIN, more), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'grants' })
    await mint({ '*': 'admin' }, ORG_ADMIN, { user_id: 'u1' })
  })

  it('names another org for a platform admin alone, and dev for nobody; an org is there once a token names it', async () => {
    expect((await refused(mint({ chat: 'viewer' }, ORG_ADMIN, { org: 'other' }), 'FORBIDDEN')).fields).toEqual({ field: 'org' })
    expect((await mint({ '*': 'org_admin' }, PLATFORM, { org: 'other' })).claims.org).toBe('other')
    expect((await mint({ '*': 'org_admin' }, as({ '*': 'platform_admin' }), { org: 'third' })).claims.org).toBe('third')
    const orgs = await loom.database.reader.selectFrom('org').select('org').orderBy('org').execute()
    expect(orgs.map((one) => one.org)).toEqual(['acme', 'other', 'third'])
    expect((await refused(mint({ chat: 'viewer' }, PLATFORM, { org: 'dev' }), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'org' })
    expect((await refused(mint({ chat: 'viewer' }, PLATFORM), 'MISSING_IDENTITY_FIELD')).fields).toEqual({ field: 'org' })
    expect((await refused(mint({ '*': 'org_admin' }, PLATFORM, { org: '*' }), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'org' })
    expect((await mint({ '*': 'platform_admin' }, PLATFORM, { org: '*' })).claims.org).toBe('*')
  })

  it('keeps the agent that is fixed for the caller', async () => {
    const fixed = as({ chat: 'admin' }, { agent: 'scribe' })
    expect((await mint({ chat: 'viewer' }, fixed)).claims.agent).toBe('scribe')
    expect((await refused(mint({ chat: 'viewer' }, fixed, { agent: 'other' }), 'FORBIDDEN')).fields).toEqual({ field: 'agent' })
  })

  it('takes 1 to 500 grants of known roles', async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n-${at}`, 'viewer'] as const))
    await mint(many(500))
    for (const grants of [{}, many(501), { Chat: 'viewer' }, { chat: 'owner' }])
      await refused(mint(grants as Claims['grants']), 'INVALID_ARGUMENT')
  })

  it('is run once for an Idempotency-Key, and its answer is not kept', async () => {
    const input = { subject: 'bob', kind: 'human', grants: { chat: 'viewer' } } as const
    const again = { ...ORG_ADMIN, idempotencyKey: 'mint-1' }
    const { token } = await loom.call('token.mint', input, again)
    const before = await idsSeen(ORG_ADMIN)
    const error = await refused(loom.call('token.mint', input, again), 'IDEMPOTENCY_MISMATCH')
    expect(error.message).toContain('secret')
    expect(await idsSeen(ORG_ADMIN)).toEqual(before)
    const kept = await loom.database.reader.selectFrom('idempotency').selectAll().where('op', '=', 'token.mint').execute()
    expect(JSON.stringify(kept, (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))).not.toContain(
      token.slice(22),
    )
  })
})

describe('token.list', () => {
  it('shows newest first, page by page, never a secret or its hash', async () => {
    const all = await idsSeen(ORG_ADMIN)
    const paged: string[] = []
    let cursor: string | null = ''
    do {
      const page: Awaited<ReturnType<typeof loom.call<'token.list'>>> = await loom.call('token.list', { limit: 3, cursor }, ORG_ADMIN)
      paged.push(...page.tokens.map((one) => one.token_id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(paged).toEqual(all)
    expect(all.length).toBeGreaterThan(5)
    const { tokens } = await loom.call('token.list', {}, ORG_ADMIN)
    expect(tokens.map((one) => one.created_at)).toEqual(
      tokens
        .map((one) => one.created_at)
        .toSorted()
        .toReversed(),
    )
    expect(Object.keys(tokens[0] ?? {}).filter((field) => field.includes('secret') || field.includes('sha'))).toEqual([])
    expect(tokens.find((one) => one.note === 'for the bot')).toMatchObject({
      created_by: 'human:ada',
      last_used_at: expect.any(String) as string,
      revoked_at: null,
    })
    await refused(loom.call('token.list', { cursor: 'nonsense' }, ORG_ADMIN), 'INVALID_CURSOR')
  })

  it('shows an admin the tokens whose grants all lie in its namespaces, and an org admin all of the org', async () => {
    const inChat = (await mint({ chat: 'viewer' })).claims.token_id
    const inBoth = (await mint({ chat: 'viewer', ops: 'viewer' })).claims.token_id
    const flat = (await mint({ '*': 'viewer' })).claims.token_id
    const foreign = (await mint({ chat: 'viewer' }, PLATFORM, { org: 'other' })).claims.token_id
    const sees = async (caller: { claims: Claims }) => {
      const seen = new Set(await idsSeen(caller))
      return [inChat, inBoth, flat, foreign].map((id) => seen.has(id))
    }
    expect(await sees(CHAT_ADMIN)).toEqual([true, false, false, false])
    expect(await sees(as({ chat: 'admin', ops: 'admin' }))).toEqual([true, true, false, false])
    expect(await sees(ALL_ADMIN)).toEqual([true, true, false, false])
    expect(await sees(ORG_ADMIN)).toEqual([true, true, true, false])
    expect((await idsSeen(PLATFORM, { org: 'other' })).includes(foreign)).toBe(true)
    const everywhere = (await mint({ '*': 'platform_admin' }, PLATFORM, { org: '*' })).claims.token_id
    expect(await idsSeen(PLATFORM, { org: '*' })).toContain(everywhere)
    expect((await refused(loom.call('token.list', { org: '*' }, ORG_ADMIN), 'FORBIDDEN')).fields).toEqual({ field: 'org' })
    expect((await refused(loom.call('token.list', { org: 'other' }, ORG_ADMIN), 'FORBIDDEN')).fields).toEqual({ field: 'org' })
  })

  it('tells the last use to the minute', async () => {
    const { token, claims } = await mint({ chat: 'viewer' })
    const lastUse = async () =>
      (await loom.call('token.list', { limit: 500 }, ORG_ADMIN)).tokens.find((one) => one.token_id === claims.token_id)?.last_used_at
    expect(await lastUse()).toBe(null)
    await loom.engine.authenticate(token)
    const minute = (at: number) => new Date(Math.floor(at / 60_000) * 60_000).toISOString()
    expect(await lastUse()).toBe(minute(now))
    const before = now
    now += 1000
    await loom.engine.authenticate(token)
    expect(await lastUse()).toBe(minute(before))
    now += 60_000
    await loom.engine.authenticate(token)
    expect(await lastUse()).toBe(minute(now))
  })
})

describe('token.revoke', () => {
  it('ends a token at once, once', async () => {
    const { token, claims } = await mint({ chat: 'viewer' })
    const { token_id } = claims
    await loom.engine.authenticate(token)
    expect(await loom.call('token.revoke', { token_id, reason: 'lost' }, CHAT_ADMIN)).toEqual({ token_id, revoked: true })
    await refused(loom.engine.authenticate(token), 'UNAUTHENTICATED')
    expect(await loom.call('token.revoke', { token_id }, CHAT_ADMIN)).toEqual({ token_id, revoked: false })
    expect(await idsSeen(ORG_ADMIN)).not.toContain(token_id)
    expect(await idsSeen(ORG_ADMIN, { include_revoked: true })).toContain(token_id)
    const audit = await loom.database.reader.selectFrom('audit').selectAll().where('subject', '=', `token:-/-/-/${token_id}`).execute()
    expect(audit.map((row) => row.op).toSorted()).toEqual(['token.mint', 'token.revoke'])
  })

  it('finds nothing that is not in the caller’s list', async () => {
    const flat = (await mint({ '*': 'viewer' })).claims.token_id
    const foreign = (await mint({ chat: 'viewer' }, PLATFORM, { org: 'other' })).claims.token_id
    for (const [token_id, caller] of [
      [flat, CHAT_ADMIN],
      [foreign, ORG_ADMIN],
      ['a'.repeat(16), ORG_ADMIN],
    ] as const)
      await refused(loom.call('token.revoke', { token_id }, caller), 'NOT_FOUND')
    expect(await loom.call('token.revoke', { token_id: foreign }, PLATFORM)).toMatchObject({ revoked: true })
  })

  it('leaves the last flat org_admin token of an org', async () => {
    const lone = PLATFORM
    const first = (await mint({ '*': 'org_admin' }, lone, { org: 'lone' })).claims.token_id
    expect((await refused(loom.call('token.revoke', { token_id: first }, lone), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'token_id' })
    await mint({ '*': 'org_admin' }, lone, { org: 'lone', ttl_days: 1 })
    expect(await loom.call('token.revoke', { token_id: first }, lone)).toMatchObject({ revoked: true })
  })
})

describe('on a desktop in multi mode', () => {
  it('tokens are minted, listed and revoked for dev alone, and nothing is paired', async () => {
    const desktop = await openTestEngine({ host: 'desktop', mode: 'multi', models: NO_MODELS })
    try {
      const { token, claims } = await desktop.call('token.mint', { subject: 'bot', kind: 'process', grants: { local: 'writer' } })
      expect(claims.org).toBe('dev')
      expect(await desktop.engine.authenticate(token)).toEqual(claims)
      const acme = desktop.call('token.mint', { org: 'acme', subject: 'bot', kind: 'process', grants: { local: 'writer' } })
      expect((await refused(acme, 'INVALID_ARGUMENT')).fields).toEqual({ field: 'org' })
      expect((await desktop.call('token.list', {})).tokens).toHaveLength(1)
      expect(await desktop.call('token.revoke', { token_id: claims.token_id })).toMatchObject({ revoked: true })
      const pair = desktop.call('pair.create', { subject: 'bot', grants: { local: 'writer' } })
      expect((await refused(pair, 'UNKNOWN_OPERATION')).message).toContain('server')
    } finally {
      await desktop.close()
    }
  })

  it('a single-user desktop has no tokens', async () => {
    const desktop = await openTestEngine({ models: NO_MODELS })
    try {
      const error = await refused(desktop.call('token.list', {}), 'UNKNOWN_OPERATION')
      expect(error.fields).toMatchObject({ operation: 'token.list', host_needed: 'server' })
    } finally {
      await desktop.close()
    }
  })
})
