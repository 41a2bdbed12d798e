import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { localClaims, nobodyClaims } from '../../../shared/engine/caller.ts'
import { renewInstance } from '../../../shared/engine/shapes/instance.ts'
import { newDeviceKey, type DeviceKey } from '../../helpers/device-key.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

let now = Date.UTC(2026, 5, 1, 12)
let loom: TestEngine
beforeAll(async () => {
  const config = { rates: UNLIMITED, publicUrl: 'https://loom.example:8443' }
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, clock: () => now, config })
})
afterAll(() => loom.close())

const as = (grants: Claims['grants'], more: Partial<Claims> = {}): { claims: Claims } => ({
  claims: { ...localClaims('human', 'ada'), org: 'acme', token_id: 'abcdefghijklmnop', grants, ...more },
})
const ORG_ADMIN = as({ '*': 'org_admin' })
const NOBODY = { claims: nobodyClaims() }

const pair = (more: Partial<CallInputOf<'pair.create'>> = {}, caller = ORG_ADMIN) =>
  loom.call('pair.create', { subject: 'bob', grants: { chat: 'writer', ops: 'viewer' }, ...more }, caller)
const redeem = (code: string, key: DeviceKey, more: Partial<CallInputOf<'pair.redeem'>> = {}) =>
  loom.call('pair.redeem', { code, device_name: 'bob-mbp', device_key: key.device_key, proof: key.prove(code), ...more }, NOBODY)

describe('pair.create', () => {
  it('makes a code of 60 bits, a link to the server, and an end', async () => {
    const made = await pair()
    expect(made.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/)
    expect(made.link).toBe(`loom://pair?server=https%3A%2F%2Floom.example%3A8443&code=${made.code}`)
    expect(made.expires_at).toBe(new Date(now + 3_600_000).toISOString())
    const { rows } = await sql<{ all: string }>`SELECT p::text AS all FROM loom.pair_code p WHERE pair_id = ${made.pair_id}`.execute(
      loom.database.reader,
    )
    expect(rows[0]?.all).not.toContain(made.code)
    expect(rows[0]?.all).not.toContain(made.code.replaceAll('-', ''))
    const audit = await loom.database.reader
      .selectFrom('audit')
      .selectAll()
      .where('subject', '=', `pair_code:-/-/-/${made.pair_id}`)
      .execute()
    expect(audit).toMatchObject([{ op: 'pair.create', org: 'acme', actor: 'human:ada' }])
  })

  it('refuses what token.mint refuses', async () => {
    await refused(pair({ grants: { other: 'viewer' } }, as({ chat: 'admin' })), 'FORBIDDEN')
    await refused(pair({ grants: { '*': 'platform_admin' } }), 'FORBIDDEN')
    await refused(pair({ grants: { chat: 'org_admin' } }), 'INVALID_ARGUMENT')
    await refused(pair({ grants: { '*': 'org_admin' }, user_id: 'u1' }), 'INVALID_ARGUMENT')
    await refused(pair({}, as({ chat: 'admin', ops: 'admin' }, { user_id: 'u1' })), 'FORBIDDEN')
    expect((await refused(pair({ org: 'other' }), 'FORBIDDEN')).fields).toEqual({ field: 'org' })
    const platform = as({ '*': 'platform_admin' }, { org: '*' })
    expect((await refused(pair({ org: 'dev' }, platform), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'org' })
    await refused(pair({ org: '*', grants: { '*': 'platform_admin' } }, platform), 'INVALID_ARGUMENT')
    for (const ttl_minutes of [0, 10_081]) await refused(pair({ ttl_minutes }), 'INVALID_ARGUMENT')
  })
})

describe('pair.redeem', () => {
  it('gives a device the subject, grants and bounds of its code, and tells it whom it met', async () => {
    const { code } = await pair({ user_id: 'u-bob', kind: 'process' })
    const key = newDeviceKey()
    const met = await redeem(code.toLowerCase().replaceAll('-', ''), key, {
      proof: key.prove(code),
      platform: 'linux-x64',
      app_version: '1.0.0',
    })
    expect(met).toMatchObject({
      device_id: expect.stringMatching(/^dev_/) as string,
      server_id: expect.stringMatching(/^srv_/) as string,
      protocol: 1,
      erasure_seq: 0,
      claims: {
        org: 'acme',
        subject: 'bob',
        kind: 'process',
        grants: { chat: 'writer', ops: 'viewer' },
        user_id: 'u-bob',
        device_id: met.device_id,
        expires_at: null,
      },
    })
    expect(await loom.engine.authenticate(met.token)).toEqual(met.claims)
    // A database that was restored is another instance, and the same server.
    await loom.database.transaction(renewInstance)
    const other = await redeem((await pair()).code, newDeviceKey())
    expect(other.device_id).not.toBe(met.device_id)
    expect(other.server_id).toBe(met.server_id)
  })

  it('reads letters that look like digits as those', async () => {
    let made = await pair()
    while (!/[01]/.test(made.code)) made = await pair()
    const typed = made.code.replaceAll('0', 'o').replaceAll('1', 'l')
    const key = newDeviceKey()
    expect((await redeem(typed, key, { proof: key.prove(made.code) })).token).not.toBe('')
  })

  it('answers alike for an unknown, an expired and a used code', async () => {
    const [used, old] = [(await pair()).code, (await pair({ ttl_minutes: 1 })).code]
    await redeem(used, newDeviceKey())
    now += 60_000
    const errors = await Promise.all(
      [used, old, 'ZZZZ-ZZZZ-ZZZZ', 'nonsense', 'UUUU-UUUU-UUUU'].map((code) => refused(redeem(code, newDeviceKey()), 'NOT_FOUND')),
    )
    expect(new Set(errors.map(({ message, fields }) => JSON.stringify([message, fields]))).size).toBe(1)
  })

  it('takes no proof but that of the key over the code', async () => {
    const { code } = await pair()
    const [key, other] = [newDeviceKey(), newDeviceKey()]
    for (const proof of [other.prove(code), key.prove('0000-0000-0000'), 'A'.repeat(86)])
      expect((await refused(redeem(code, key, { proof }), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'proof' })
    for (const [field, value] of [
      ['proof', 'short'],
      ['device_key', 'short'],
      ['device_key', `${'A'.repeat(42)}=`],
    ] as const)
      expect((await refused(redeem(code, key, { [field]: value }), 'INVALID_ARGUMENT')).fields).toMatchObject({ field })
    expect((await redeem(code, key)).token).not.toBe('')
  })

  it('after a lost answer gives the same device a new token, and the earlier one dies', async () => {
    const { code } = await pair({ own_session: true })
    const key = newDeviceKey()
    const first = await redeem(code, key)
    const second = await redeem(code, key, { device_name: 'renamed' })
    expect(second.device_id).toBe(first.device_id)
    expect(second.token).not.toBe(first.token)
    // The session stays: its rows are the device's own.
    expect(second.claims.session_id).toBe(first.claims.session_id)
    expect(first.claims.session_id).toBe(`tok-${first.claims.token_id}`)
    await loom.engine.authenticate(second.token)
    const error = await refused(loom.engine.authenticate(first.token), 'UNAUTHENTICATED')
    expect(error.fields).toEqual({})
    await refused(redeem(code, newDeviceKey()), 'NOT_FOUND')
    now += 3_600_000
    await refused(redeem(code, key), 'NOT_FOUND')
    await loom.engine.authenticate(second.token)
  })

  it('runs again whatever its Idempotency-Key, and keeps no answer', async () => {
    const { code } = await pair()
    const key = newDeviceKey()
    const input = { code, device_name: 'd', device_key: key.device_key, proof: key.prove(code) }
    const again = { ...NOBODY, idempotencyKey: 'once' }
    const first = await loom.call('pair.redeem', input, again)
    expect((await loom.call('pair.redeem', input, again)).token).not.toBe(first.token)
    expect(await loom.database.reader.selectFrom('idempotency').selectAll().where('op', '=', 'pair.redeem').execute()).toEqual([])
  })

  it('knows a machine that comes back by its key: one device, with what the new code grants', async () => {
    const key = newDeviceKey()
    const first = await redeem((await pair()).code, key)
    const second = await redeem((await pair({ subject: 'carol', grants: { chat: 'viewer' } })).code, key)
    expect(second.device_id).toBe(first.device_id)
    expect(second.claims).toMatchObject({ subject: 'carol', grants: { chat: 'viewer' } })
    await refused(loom.engine.authenticate(first.token), 'UNAUTHENTICATED')
  })

  it('of two that send one code at once one is first', async () => {
    const { code } = await pair()
    const both = await Promise.allSettled([redeem(code, newDeviceKey()), redeem(code, newDeviceKey())])
    expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both.find((one) => one.status === 'rejected')?.reason).toMatchObject({ code: 'NOT_FOUND' })
  })

  it('of one device that sends its code twice at once makes one device', async () => {
    const { code } = await pair()
    const key = newDeviceKey()
    const both = await Promise.all([redeem(code, key), redeem(code, key)])
    expect(both[0]?.device_id).toBe(both[1]?.device_id)
    const live = await Promise.allSettled(both.map((one) => loom.engine.authenticate(one.token)))
    expect(live.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  })
})
