import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { localClaims, nobodyClaims } from '../../../shared/engine/caller.ts'
import { newDeviceKey, type DeviceKey } from '../../helpers/device-key.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

let now = Date.UTC(2026, 5, 1, 12)
let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, clock: () => now, config: { rates: UNLIMITED } })
})
afterAll(() => loom.close())

interface Token {
  readonly token: string
  readonly claims: Claims
}

const ADMIN = { claims: { ...localClaims('human', 'root'), org: 'acme', grants: { '*': 'org_admin' } } as Claims }

function mint(subject: string, grants: Claims['grants'], more: Partial<CallInputOf<'token.mint'>> = {}): Promise<Token> {
  return loom.call('token.mint', { subject, kind: 'human', grants, ...more }, ADMIN)
}

/** Pairs a device of someone. */
async function paired(subject: string, grants: Claims['grants'], key = newDeviceKey()) {
  const { code } = await loom.call('pair.create', { subject, grants }, ADMIN)
  const input = { code, device_name: `${subject}-mbp`, device_key: key.device_key, proof: key.prove(code) }
  return { ...(await loom.call('pair.redeem', input, { claims: nobodyClaims() })), key }
}

const register = (by: Token, key: DeviceKey, more: Partial<CallInputOf<'device.register'>> = {}) =>
  loom.call(
    'device.register',
    { device_name: 'box', device_key: key.device_key, proof: key.prove(by.claims.token_id), ...more },
    { claims: by.claims },
  )

const devicesOf = async (by: Pick<Token, 'claims'>, more = {}) =>
  (await loom.call('device.list', { limit: 500, ...more }, { claims: by.claims })).devices

describe('device.register', () => {
  it('with an ordinary token makes a device with its subject, grants and bounds', async () => {
    const by = await mint('bot', { chat: 'writer' }, { kind: 'process', user_id: 'u1', agent: 'scribe' })
    const made = await register(by, newDeviceKey(), { platform: 'linux-arm64' })
    expect(made.claims).toMatchObject({
      subject: 'bot',
      kind: 'process',
      grants: { chat: 'writer' },
      user_id: 'u1',
      agent: 'scribe',
      device_id: made.device_id,
      expires_at: null,
    })
    expect(await loom.engine.authenticate(made.token)).toEqual(made.claims)
    // The ordinary token lives on.
    await loom.engine.authenticate(by.token)
  })

  it('called again by the same subject, as after a lost answer, gives the device a new token', async () => {
    const by = await mint('again', { chat: 'writer' }, { own_session: true })
    const key = newDeviceKey()
    const [first, second] = [await register(by, key), await register(by, key)]
    expect(second.device_id).toBe(first.device_id)
    expect(second.claims.session_id).toBe(by.claims.session_id)
    await refused(loom.engine.authenticate(first.token), 'UNAUTHENTICATED')
    await loom.engine.authenticate(second.token)
  })

  it('with a device token refreshes the fields of its device, and answers no token', async () => {
    const device = await paired('dora', { chat: 'viewer' })
    const fresh = { device_name: 'dora-2', platform: 'darwin-arm64', app_version: '2.0.0', judge_version: '9', embedding_model: 'm' }
    const answer = await register(device, device.key, fresh)
    expect(answer).toMatchObject({ device_id: device.device_id, token: '', claims: device.claims, server_id: device.server_id })
    await loom.engine.authenticate(device.token)
    const [shown] = await devicesOf(device)
    const { device_name: name, ...rest } = fresh
    expect(shown).toMatchObject({ ...rest, name, device_id: device.device_id })
    const audits = () => loom.database.reader.selectFrom('audit').selectAll().where('op', '=', 'device.register').execute()
    const before = (await audits()).length
    await register(device, device.key, fresh)
    expect(await audits()).toHaveLength(before)
  })

  it('refuses a key of another device, and a proof over anything but the token’s id', async () => {
    const [one, other] = [await paired('eve', { chat: 'viewer' }), await paired('fay', { chat: 'viewer' })]
    expect((await refused(register(one, other.key), 'ALREADY_EXISTS')).fields).toEqual({ field: 'device_key' })
    expect((await refused(register(await mint('gil', { chat: 'viewer' }), other.key), 'ALREADY_EXISTS')).fields).toEqual({
      field: 'device_key',
    })
    const by = await mint('hal', { chat: 'viewer' })
    const key = newDeviceKey()
    expect((await refused(register(by, key, { proof: key.prove(one.claims.token_id) }), 'INVALID_ARGUMENT')).fields).toEqual({
      field: 'proof',
    })
    // A device may take a new key.
    await register(one, newDeviceKey())
  })

  it('needs a token of one org', async () => {
    const key = newDeviceKey()
    const platform = { ...localClaims('human', 'root'), org: '*', token_id: 'a'.repeat(16) }
    await refused(register({ token: '', claims: platform }, key), 'FORBIDDEN')
    await refused(register({ token: '', claims: localClaims('human', 'local') }, key), 'FORBIDDEN')
  })
})

describe('device.list and device.revoke', () => {
  it('show and end one’s own; an admin’s those of its namespaces; an org admin’s all', async () => {
    const ivy = await paired('ivy', { garden: 'writer' })
    const jon = await paired('jon', { garden: 'viewer', attic: 'viewer' })
    const ids = async (by: Pick<Token, 'claims'>) => {
      const seen = new Set((await devicesOf(by)).map((one) => one.device_id))
      return [ivy, jon].map((one) => seen.has(one.device_id))
    }
    expect(await ids(ivy)).toEqual([true, false])
    expect(await ids(await mint('ivy', { attic: 'viewer' }))).toEqual([true, false])
    expect(await ids(await mint('ivy', { attic: 'viewer' }, { kind: 'process' }))).toEqual([false, false])
    expect(await ids(await mint('kim', { garden: 'admin' }))).toEqual([true, false])
    expect(await ids(await mint('kim', { garden: 'admin' }, { user_id: 'u1' }))).toEqual([false, false])
    expect(await ids(ADMIN)).toEqual([true, true])
    expect(await ids({ claims: { ...ADMIN.claims, org: 'rival' } })).toEqual([false, false])

    await refused(loom.call('device.revoke', { device_id: jon.device_id }, { claims: ivy.claims }), 'NOT_FOUND')
    await refused(loom.call('device.revoke', { device_id: jon.device_id }, { claims: { ...ADMIN.claims, org: 'rival' } }), 'NOT_FOUND')
    await refused(loom.call('device.revoke', { device_id: 'dev_none' }, ADMIN), 'NOT_FOUND')
    const own = await loom.call('device.revoke', { device_id: ivy.device_id }, { claims: ivy.claims })
    expect(own).toEqual({ device_id: ivy.device_id, revoked: true })
    const everywhere = { claims: { ...localClaims('human', 'root'), org: '*' } }
    expect(await loom.call('device.revoke', { device_id: jon.device_id }, everywhere)).toMatchObject({ revoked: true })
  })

  it('a revoked device is told so, and whether to wipe; nobody else is', async () => {
    const lou = await paired('lou', { chat: 'writer' })
    const { device_id } = lou
    expect(await loom.call('device.revoke', { device_id }, ADMIN)).toEqual({ device_id, revoked: true })
    expect((await refused(loom.engine.authenticate(lou.token), 'UNAUTHENTICATED')).fields).toEqual({ device_revoked: true, wipe: false })
    expect(await loom.call('device.revoke', { device_id }, ADMIN)).toEqual({ device_id, revoked: false })
    // It may still be told to wipe, as when it turns out to be stolen.
    expect(await loom.call('device.revoke', { device_id, wipe: true, reason: 'stolen' }, ADMIN)).toEqual({ device_id, revoked: false })
    expect((await refused(loom.engine.authenticate(lou.token), 'UNAUTHENTICATED')).fields).toEqual({ device_revoked: true, wipe: true })
    const guess = `${lou.token.slice(0, 22)}${'A'.repeat(43)}`
    expect((await refused(loom.engine.authenticate(guess), 'UNAUTHENTICATED')).fields).toEqual({})
    expect((await devicesOf(ADMIN)).map((one) => one.device_id)).not.toContain(device_id)
    const all = await devicesOf(ADMIN, { include_revoked: true })
    expect(all.find((one) => one.device_id === device_id)?.revoked_at).toBe(new Date(now).toISOString())
  })

  it('a device whose token is revoked is a revoked device, and its key may pair anew', async () => {
    const max = await paired('max', { chat: 'writer' })
    expect(await loom.call('token.revoke', { token_id: max.claims.token_id }, ADMIN)).toMatchObject({ revoked: true })
    expect((await refused(loom.engine.authenticate(max.token), 'UNAUTHENTICATED')).fields).toEqual({ device_revoked: true, wipe: false })
    const back = await paired('max', { chat: 'writer' }, max.key)
    expect(back.device_id).not.toBe(max.device_id)
    await loom.engine.authenticate(back.token)
  })

  it('lists newest first, page by page, and says when each was seen', async () => {
    for (const subject of ['p1', 'p2', 'p3']) {
      now += 1000
      await paired(subject, { chat: 'viewer' })
    }
    const all = (await devicesOf(ADMIN)).map((one) => one.device_id)
    const paged: string[] = []
    let cursor: string | null = ''
    do {
      const page: Awaited<ReturnType<typeof loom.call<'device.list'>>> = await loom.call('device.list', { limit: 2, cursor }, ADMIN)
      paged.push(...page.devices.map((one) => one.device_id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(paged).toEqual(all)
    const device = await paired('seen', { chat: 'viewer' })
    now += 120_000
    await loom.engine.authenticate(device.token)
    const [shown] = await devicesOf(device)
    expect(shown).toMatchObject({
      name: 'seen-mbp',
      subject: 'seen',
      grants: { chat: 'viewer' },
      last_seen_at: new Date(now).toISOString(),
      last_push_at: null,
      erasure_seq: 0,
      erasures_pending: 0,
    })
  })
})
