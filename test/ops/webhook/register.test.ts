import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { DEFAULT_WEBHOOKS } from '../../../shared/engine/webhooks/config.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { refused } from '../../helpers/errors.ts'
import { NO_MODELS, openTestEngine } from '../../helpers/engine.ts'
import { ADMIN } from '../../helpers/push.ts'
import { NAME, openTeam, queued, SECRET, type Team } from '../../helpers/webhooks.ts'

const EVENTS = ['memory.written', 'memory.revised', 'memory.tombstoned', 'memory.restored', 'memory.redacted', 'memory.erased'] as const
const HTTPS = 'https://hooks.example.com/loom'

let team: Team
beforeAll(async () => {
  // Nobody listens there: no test reaches out of this machine.
  team = await openTeam({ maxPerNamespace: 3, privateHosts: ['hooks.test', 'hooks.example.com'] })
  team.names.set('hooks.example.com', [{ address: '127.0.0.1', family: 4 }])
})
afterAll(() => team.close())

const as = (grants: Claims['grants'], more: Partial<Claims> = {}): { claims: Claims } => ({
  claims: { ...localClaims('human', 'ada'), org: 'acme', token_id: 'abcdefghijklmnop', grants, ...more },
})
const register = (more: Partial<CallInputOf<'webhook.register'>> = {}, caller = ADMIN) =>
  team.loom.call('webhook.register', { namespace: 'chat', url: HTTPS, secret_ref: NAME, ...more }, caller)
const list = async (namespace: string) => (await team.loom.call('webhook.list', { namespace }, ADMIN)).webhooks
const field = async (call: Promise<unknown>, code: 'INVALID_ARGUMENT' | 'ADDRESS_REFUSED') => (await refused(call, code)).fields['field']

describe('webhook.register', () => {
  it('takes all six events unless told, and answers the webhook [WHK080]', async () => {
    const made = await register({ namespace: 'one' })
    expect(made).toEqual({
      webhook_id: made.webhook_id,
      namespace: 'one',
      url: HTTPS,
      secret_ref: NAME,
      events: EVENTS,
      secret_present: true,
      pending: 0,
      last_status: null,
      last_error: '',
      created_by: 'human:root',
      created_at: new Date(team.clock.now).toISOString(),
      updated_at: new Date(team.clock.now).toISOString(),
      replaced: false,
    })
    const { replaced: _, ...shown } = made
    expect(await list('one')).toEqual([shown])
    expect(await field(register({ events: [] }), 'INVALID_ARGUMENT')).toBe('events')
    expect(await field(register({ events: ['memory.read'] as never }), 'INVALID_ARGUMENT')).toBe('events[0]')
    expect((await register({ namespace: 'twice', events: ['memory.revised', 'memory.revised'] })).events).toEqual(['memory.revised'])
  })

  it('filters by the types named [WHK080]', async () => {
    const id = (await register({ namespace: 'some', events: ['memory.revised', 'memory.tombstoned'] })).webhook_id
    const at = { namespace: 'some', agent: 'a', memory_key: 'k' }
    for (const value of ['One.', 'Two.']) await team.loom.call('memory.set', { ...at, value }, ADMIN)
    await team.loom.call('memory.delete', at, ADMIN)
    await team.loom.call('memory.restore', { namespace: 'some', memory_key: 'k' }, ADMIN)
    expect((await queued(team, id)).map(({ type }) => type)).toEqual(['memory.revised', 'memory.tombstoned'])
  })

  it('replaces the webhook of an equal URL, which keeps its id, queue and time; new events count from then on [WHK081]', async () => {
    const first = await register({ namespace: 'again', url: 'https://HOOKS.example.com:443/loom' })
    const set = (value: string) => team.loom.call('memory.set', { namespace: 'again', agent: 'a', memory_key: 'k', value }, ADMIN)
    await set('One.')
    team.clock.now += 1000
    const other = 'LOOM_WEBHOOK_SECRET_ACME__OTHER'
    const second = await register({ namespace: 'again', events: ['memory.tombstoned'], secret_ref: other })
    expect(second).toEqual({
      ...first,
      events: ['memory.tombstoned'],
      secret_ref: other,
      secret_present: false,
      pending: 1,
      updated_at: new Date(team.clock.now).toISOString(),
      replaced: true,
    })
    await set('Two.')
    expect(await list('again')).toHaveLength(1)
    expect((await queued(team, first.webhook_id)).map(({ type }) => type)).toEqual(['memory.written'])
  })

  it('refuses the next one of a full namespace, by default the eleventh; the URL of one that is there replaces it [WHK082, CFG005]', async () => {
    for (const n of [1, 2, 3]) await register({ namespace: 'full', url: `https://hooks.example.com/${n}` })
    expect((await refused(register({ namespace: 'full', url: 'https://hooks.example.com/4' }), 'INVALID_ARGUMENT')).fields).toEqual({
      field: 'url',
      limit: 3,
    })
    expect(await register({ namespace: 'full', url: 'https://hooks.example.com/2' })).toMatchObject({ replaced: true })
    expect(DEFAULT_WEBHOOKS.maxPerNamespace).toBe(10)
  })

  it('needs admin of the namespace, and no token bound to one user or session; so do all ops of webhooks [WHK004, WHK084, WHK086, WHK088]', async () => {
    const { webhook_id } = await register({ namespace: 'chat' })
    const { loom } = team
    const calls = [
      ['webhook.register', { url: HTTPS, secret_ref: NAME }],
      ['webhook.list', {}],
      ['webhook.deliveries', {}],
      ['webhook.test', { webhook_id }],
      ['webhook.remove', { webhook_id }],
    ] as const
    for (const [op, input] of calls) {
      for (const caller of [
        as({ chat: 'writer' }),
        as({ other: 'admin' }),
        as({ chat: 'admin' }, { user_id: 'u1' }),
        as({ chat: 'admin' }, { own_session: true }),
      ])
        await refused(loom.call(op, { namespace: 'chat', ...input }, caller), 'FORBIDDEN')
    }
    for (const [op, input] of calls) await loom.call(op, { namespace: 'chat', ...input }, as({ chat: 'admin' }))
  })

  it('takes secrets of the org alone, whether set or not, by a spelling in which no two orgs meet [WHK095, WHK096, CFG006]', async () => {
    const NAMES: readonly (readonly [org: string, ref: string])[] = [
      ['acme', NAME],
      ['a-b', 'LOOM_WEBHOOK_SECRET_A_DB__X'],
      ['a_b', 'LOOM_WEBHOOK_SECRET_A_UB__X_1'],
      ['a.b', 'LOOM_WEBHOOK_SECRET_A_PB__X'],
    ]
    for (const [org] of NAMES) {
      for (const [owner, ref] of NAMES) {
        const call = register({ secret_ref: ref }, as({ '*': 'org_admin' }, { org }))
        if (owner === org) expect((await call).secret_present).toBe(org === 'acme')
        else expect([org, owner, await field(call, 'INVALID_ARGUMENT')]).toEqual([org, owner, 'secret_ref'])
      }
    }
    process.env['LOOM_WEBHOOK_SECRET_OTHER__X'] = 'set'
    const prefix = 'LOOM_WEBHOOK_SECRET_ACME'
    for (const ref of [
      'PATH',
      'LOOM_WEBHOOK_SECRET_OTHER__X',
      prefix,
      `${prefix}__`,
      `${prefix}_X`,
      `${prefix}___X`,
      `${prefix}__x`,
      `${prefix}__${'X'.repeat(65)}`,
    ])
      expect([ref, await field(register({ secret_ref: ref }), 'INVALID_ARGUMENT')]).toEqual([ref, 'secret_ref'])
    delete process.env['LOOM_WEBHOOK_SECRET_OTHER__X']
  })

  it('takes an absolute https URL with no user, password or fragment [WHK100, WHK101, CFG007]', async () => {
    for (const url of [
      '/loom',
      'hooks.example.com',
      'ftp://hooks.example.com/',
      'https://u:p@hooks.example.com/',
      'https://u@hooks.example.com/',
      `${HTTPS}#x`,
      `${HTTPS}#`,
    ])
      expect([url, await field(register({ url }), 'INVALID_ARGUMENT')]).toEqual([url, 'url'])
    expect(DEFAULT_WEBHOOKS.allowHttp).toBe(false)
    const strict = await openTeam({ allowHttp: false })
    try {
      expect((await refused(strict.hook(), 'ADDRESS_REFUSED')).message).toContain('https')
    } finally {
      await strict.close()
    }
    expect(await team.hook('/plain', { namespace: 'plain' })).toBeTruthy()
  })
})

describe('webhook.list', () => {
  it('shows whether there is a usable secret now, oldest webhook first [WHK084, WHK085]', async () => {
    for (const n of [2, 1]) {
      team.clock.now += 1000
      await register({ namespace: 'shown', url: `https://hooks.example.com/${n}` })
    }
    expect((await list('shown')).map(({ url }) => url)).toEqual(['https://hooks.example.com/2', 'https://hooks.example.com/1'])
    const present = async () => (await list('shown'))[0]?.secret_present
    for (const [value, isUsable] of [
      [undefined, false],
      ['', false],
      ['whsec_', false],
      ['whsec_%%', false],
      ['whsec_YWJj', true],
      ['plain', true],
    ] as const) {
      team.secrets[NAME] = value
      expect([value, await present()]).toEqual([value, isUsable])
    }
    team.secrets[NAME] = SECRET
    expect(await list('nothing-here')).toEqual([])
  })
})

describe('webhook.remove', () => {
  it('ends one webhook, once, and tells what will not be sent; its URL makes a new one with an empty queue [WHK086, WHK135]', async () => {
    const at = { namespace: 'ended', agent: 'a', memory_key: 'k' }
    const { webhook_id } = await register({ namespace: 'ended' })
    await team.loom.call('memory.set', { ...at, value: 'One.' }, ADMIN)
    const remove = (id: string, namespace = 'ended') => team.loom.call('webhook.remove', { namespace, webhook_id: id }, ADMIN)
    await refused(remove(webhook_id, 'chat'), 'NOT_FOUND')
    expect(await remove(webhook_id)).toEqual({ webhook_id, removed: true, pending_dropped: 1 })
    expect(await list('ended')).toEqual([])
    for (const id of [webhook_id, 'unknown']) await refused(remove(id), 'NOT_FOUND')
    await team.loom.call('memory.set', { ...at, value: 'Two.' }, ADMIN)
    expect(await queued(team, webhook_id)).toHaveLength(1)
    const again = await register({ namespace: 'ended' })
    expect(again).toMatchObject({ replaced: false, pending: 0 })
    expect(again.webhook_id).not.toBe(webhook_id)
  })
})

describe('what is stored', () => {
  it('is an audit row for each call that changes something, and no secret in any table [WHK094]', async () => {
    const { webhook_id } = await register({ namespace: 'kept' })
    await team.loom.call('webhook.test', { namespace: 'kept', webhook_id }, ADMIN)
    await team.loom.call('webhook.remove', { namespace: 'kept', webhook_id }, ADMIN)
    const audit = await team.loom.database.reader
      .selectFrom('audit')
      .selectAll()
      .where('namespace', '=', 'kept')
      .orderBy('audit_id')
      .execute()
    expect(audit.map(({ op, subject, actor }) => [op, subject, actor])).toEqual(
      ['webhook.register', 'webhook.test', 'webhook.remove'].map((op) => [op, `webhook:-/-/-/${webhook_id}`, 'human:root']),
    )
    const { rows: tables } = await sql<{
      name: string
    }>`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'loom'`.execute(team.loom.database.reader)
    for (const { name } of tables) {
      const { rows } = await sql<{ found: number }>`SELECT count(*)::int AS found FROM ${sql.table(`loom.${name}`)} t
        WHERE t::text LIKE ${`%${SECRET}%`}`.execute(team.loom.database.reader)
      expect([name, rows[0]?.found]).toEqual([name, 0])
    }
  })
})

describe('a desktop', () => {
  it('registers no webhook, and has no pass that sends [WHK002]', async () => {
    const desktop = await openTestEngine({ models: NO_MODELS })
    try {
      const call = desktop.call('webhook.register', { url: HTTPS, secret_ref: NAME })
      expect((await refused(call, 'UNKNOWN_OPERATION')).fields).toMatchObject({ host_needed: 'server' })
      await desktop.call('memory.set', { memory_key: 'k', value: 'A value.' })
      expect(await desktop.engine.runDueJobs(new Date(Date.now() + 3_600_000))).not.toContain('memory_webhook_deliver')
    } finally {
      await desktop.close()
    }
  })
})
