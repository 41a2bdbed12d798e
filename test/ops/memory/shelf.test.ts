import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, ORG } from '../../helpers/push.ts'

const AT = { namespace: 'chat', agent: 'scribe' } as const
const holder = (more: Partial<Claims>): { claims: Claims } => ({
  claims: { ...localClaims('human', 'ada'), org: ORG, grants: { chat: 'writer' }, ...more },
})
/** Reads no row of its own under the keys of these tests. */
const BOUND = holder({ user_id: 'bob' })

let loom: TestEngine
let clock = Date.now()
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, clock: () => clock })
  await loom.call('namespace.register', { namespace: 'chat' }, ADMIN)
  await loom.call('namespace.register', { namespace: 'team' }, ADMIN)
})
afterAll(() => loom.close())

const set = (memory_key: string, value: unknown, more: object = {}) =>
  loom.call('memory.set', { ...AT, memory_key, value: value as string, ...more }, ADMIN)
const promote = (memory_key: string, more: object = {}) => loom.call('memory.promote', { ...AT, memory_key, ...more }, ADMIN)
const get = (memory_key: string, caller: object = BOUND, namespace = 'chat') =>
  loom.call('memory.get', { namespace, agent: 'reader', memory_key }, caller)

describe('the shared shelf', () => {
  it('shows a copy to a token bounded to another user, and leaves the row byte for byte [CHG053]', async () => {
    const { version } = await set('door/code', 'The door opens at seven.', { user_id: 'ada', tags: ['door'] })
    expect(await get('door/code')).toMatchObject({ found: false, reason: 'not_found' })
    const before = await loom.call('memory.get', { ...AT, user_id: 'ada', memory_key: 'door/code' }, ADMIN)
    expect(await promote('door/code', { note: 'for all' })).toEqual({
      promoted: true,
      reason: '',
      memory_key: 'door/code',
      shared_version: version,
      shared_version_text: version.toString(),
      replaced: false,
    })
    expect(await get('door/code')).toMatchObject({
      found: true,
      value: 'The door opens at seven.',
      source: 'shared',
      tags: ['door'],
      user_id: '-',
      version,
    })
    const { served_count: _served, ...after } = await loom.call('memory.get', { ...AT, user_id: 'ada', memory_key: 'door/code' }, ADMIN)
    const { served_count: _was, ...was } = before
    expect(after).toEqual(was)
    const { rows } = await loom.call('audit.list', { namespace: 'chat', op: 'memory.promote' }, ADMIN)
    expect(rows).toMatchObject([{ memory_key: 'door/code', version }])
  })

  it('keeps the copy when the row changes, says stale, and takes the new one when promoted again', async () => {
    await set('lamp', 'The lamp is brass.')
    await promote('lamp')
    const { version } = await loom.call('memory.update', { ...AT, memory_key: 'lamp', value: 'The lamp is steel.' }, ADMIN)
    expect(await get('lamp')).toMatchObject({ value: 'The lamp is brass.' })
    expect((await loom.call('memory.inspect', { ...AT, memory_key: 'lamp' }, ADMIN)).shared).toMatchObject({ stale: true })
    expect(await promote('lamp')).toMatchObject({ promoted: true, replaced: true, shared_version: version })
    expect(await promote('lamp')).toMatchObject({ promoted: true, replaced: true, shared_version: version })
    expect(await get('lamp')).toMatchObject({ value: 'The lamp is steel.' })
    expect((await loom.call('memory.inspect', { ...AT, memory_key: 'lamp' }, ADMIN)).shared).toMatchObject({ version, stale: false })
    const { rows } = await loom.call('audit.list', { namespace: 'chat', memory_key: 'lamp', op: 'memory.promote' }, ADMIN)
    expect(rows).toHaveLength(2)
  })

  it('is left by memory.demote, once, which does not touch the row [CHG053]', async () => {
    const { version } = await set('rug', 'The rug is red.')
    await promote('rug')
    expect(await loom.call('memory.demote', { namespace: 'chat', memory_key: 'rug' }, ADMIN)).toEqual({
      demoted: true,
      reason: '',
      memory_key: 'rug',
    })
    expect(await loom.call('memory.demote', { namespace: 'chat', memory_key: 'rug' }, ADMIN)).toMatchObject({ reason: 'not_found' })
    expect(await get('rug')).toMatchObject({ found: false })
    const row = await loom.call('memory.get', { ...AT, memory_key: 'rug' }, ADMIN)
    expect(row).toMatchObject({ found: true, version, source: 'row' })
  })

  it('refuses what is gone, expired, of high sensitivity or conflicted, and names the rows of a key that several hold', async () => {
    await set('card', 'The card is 4111 1111 1111 1111.')
    await set('brief', 'Gone in a minute.', { ttl_seconds: 60 })
    await set('wall', 'The wall is green.')
    await set('other/wall', 'The wall is not green.')
    clock += 61_000
    expect(await promote('nothing')).toMatchObject({ promoted: false, reason: 'not_found', shared_version: 0n })
    expect(await promote('brief')).toMatchObject({ promoted: false, reason: 'expired' })
    expect(await promote('card')).toMatchObject({ promoted: false, reason: 'sensitivity' })
    expect(await promote('other/wall')).toMatchObject({ promoted: false, reason: 'conflicted' })
    await set('twice', 'Ada drinks tea.', { user_id: 'ada' })
    await set('twice', 'Cem drinks rum.', { user_id: 'cem' })
    const both = loom.call('memory.promote', { namespace: 'chat', memory_key: 'twice' }, ADMIN)
    await expect(both).rejects.toMatchObject({ code: 'AMBIGUOUS_KEY' })
  })

  it('loses the copy with the delete, the reject, the redaction of its version, a clear and an expiry of the row', async () => {
    const ways: Record<string, (key: string) => Promise<unknown>> = {
      deleted: (memory_key) => loom.call('memory.delete', { ...AT, memory_key }, ADMIN),
      rejected: (memory_key) => loom.call('memory.reject', { ...AT, memory_key }, ADMIN),
      redacted: async (memory_key) => {
        const { version } = await loom.call('memory.get', { ...AT, memory_key }, ADMIN)
        await set(memory_key, 'Another text by now.')
        return loom.call('memory.redact', { ...AT, memory_key, version: version as bigint, reason: 'x' }, ADMIN)
      },
      expired: async (memory_key) => {
        await loom.call('memory.touch', { ...AT, memory_key, ttl_seconds: 60 }, ADMIN)
        clock += 120_000
        return loom.engine.runDueJobs()
      },
      anonymized: async (memory_key) => {
        await loom.call('memory.touch', { ...AT, memory_key, ttl_seconds: 60, on_expire: 'anonymize' }, ADMIN)
        clock += 120_000
        return loom.engine.runDueJobs()
      },
    }
    for (const [key, take] of Object.entries(ways)) {
      await set(key, `The thing that will be ${key} stands in room ${key.length}.`)
      expect(await promote(key)).toMatchObject({ promoted: true })
      await take(key)
      expect([key, (await get(key)).found]).toEqual([key, false])
    }
    await set('cleared', 'Cleared with its user.', { user_id: 'dee' })
    await promote('cleared')
    await loom.call('memory.clear', { namespace: 'chat', user_id: 'dee', confirm_subject: 'dee' }, ADMIN)
    expect((await get('cleared')).found).toBe(false)
  })

  it('of another namespace takes a copy where the caller writes there too, and nowhere else', async () => {
    await set('stairs', 'The stairs were painted in June.')
    const cross = (to_namespace: string, caller: object = ADMIN) =>
      loom.call('memory.cross_promote', { ...AT, memory_key: 'stairs', to_namespace }, caller)
    expect(await cross('team')).toMatchObject({ promoted: true, to_namespace: 'team' })
    const reader = holder({ grants: { team: 'viewer' } })
    expect(await get('stairs', reader, 'team')).toMatchObject({ found: true, source: 'shared', value: 'The stairs were painted in June.' })
    await expect(cross('team', holder({}))).rejects.toMatchObject({ code: 'FORBIDDEN', fields: { role_needed: 'writer' } })
    await expect(cross('chat')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'to_namespace' } })
    const listed = async () =>
      (await loom.call('memory.list', { namespace: 'team' }, ADMIN)).rows.map((row) => [row.memory_key, row.source])
    expect(await listed()).toEqual([['stairs', 'shared']])
    await loom.call('memory.delete', { ...AT, memory_key: 'stairs' }, ADMIN)
    expect(await listed()).toEqual([])
    expect((await get('stairs', reader, 'team')).found).toBe(false)
  })
})
