import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallInputOf } from '../../shared/contract/registry.ts'
import { DEFAULT_ERASURE } from '../../shared/engine/erasure/config.ts'
import { signReceipt } from '../../shared/engine/erasure/receipt.ts'
import { tablesWith } from '../ops/erasure/seed.ts'
import { openTeam, type Desktop, type Team } from './team.ts'

/** An erasure on the server reaches every desktop, which proves it; one that was away brings nothing back. */

const CANARY = 'Numbat4711'

describe('erasures of a team', () => {
  let team: Team
  let alice: Desktop
  let bob: Desktop
  beforeAll(async () => {
    team = await openTeam({ config: { erasure: { ...DEFAULT_ERASURE, waitSeconds: 300 } } })
    alice = await team.desktop({ subject: 'alice' })
    bob = await team.desktop({ subject: 'bob' })
  })
  afterAll(() => team.close())

  const at = (user_id: string, memory_key: string) => ({ org: 'acme', namespace: 'chat', agent: 'a', user_id, memory_key })
  const ask = (op: string, input: object) => team.server.call(team.admin, op, input)
  const request = (more: Partial<CallInputOf<'erasure.request'>>) =>
    ask('erasure.request', { org: 'acme', scope_type: 'user_id', scope_value: 'u-1', requester: 'dpo', ...more }) as Promise<
      Record<string, string>
    >
  const pending = async (erasure_id: string) =>
    ((await ask('erasure.status', { erasure_id }))['devices_pending'] as { name: string; revoked: boolean }[]).length
  const item = async (desktop: Desktop) => (await desktop.call('sync.inbox', { change: 'erased' })).items

  test('[ERA030] [ERA031] [ERA067] a purge takes rows, queue and history of every desktop; a late change of a device that was away is refused', async () => {
    await alice.call('memory.set', { ...at('u-1', 'tea'), value: `${CANARY} drinks tea.` })
    await alice.call('memory.set', { ...at('u-2', 'tea'), value: 'Somebody else drinks coffee.' })
    await team.settle(alice, bob)
    bob.wire.mode = 'cut'
    await bob.call('memory.set', { ...at('u-1', 'city'), value: `${CANARY} lives in Oslo.` })
    await bob.call('memory.set', { ...at('u-1', 'tea'), value: `${CANARY} drinks milk.` })
    await bob.call('memory.set', { ...at('u-2', 'city'), value: 'Somebody else lives in Rome.' })

    const { erasure_id, status } = await request({ purge: true })
    expect(status).toBe('completed')
    expect(await pending(String(erasure_id))).toBe(2)
    await alice.sync()
    expect(await pending(String(erasure_id))).toBe(1)
    expect(await tablesWith(alice.loom.database, CANARY)).toEqual({})
    expect((await alice.call('memory.get', at('u-2', 'tea'))).found).toBe(true)

    bob.wire.mode = 'open'
    await bob.sync()
    expect(await tablesWith(bob.loom.database, CANARY)).toEqual({})
    expect(await tablesWith(team.server.loom.database, CANARY)).toEqual({})
    expect(await pending(String(erasure_id))).toBe(0)
    expect(await item(bob)).toHaveLength(1)
    expect((await bob.call('memory.get', at('u-2', 'city'))).found).toBe(true)
    await alice.sync()
    expect((await alice.call('memory.get', at('u-2', 'city'))).found).toBe(true)

    const told = await ask('erasure.status', { erasure_id })
    const receipts = told['receipts'] as { queue_dropped: number; census: Record<string, number>; purge: boolean; rows_affected: number }[]
    expect(receipts).toHaveLength(2)
    for (const { census, purge } of receipts) {
      expect(purge).toBe(true)
      expect(Object.values(census).every((left) => left === 0)).toBe(true)
      expect(Object.keys(census)).toEqual(expect.arrayContaining(['pg:memory', 'pg:sync_outbox', 'pg:sync_base', 'backups']))
    }
    expect(receipts.map((receipt) => receipt.queue_dropped).toSorted((a, b) => a - b)).toEqual([0, 2])
    expect(told['residue']).toEqual({})
  })

  test('[ERA030] without purge the desktop stamps and serves nothing of it; what is written after it stays everywhere', async () => {
    await alice.call('memory.set', { ...at('u-3', 'pet'), value: 'u-3 has a cat.' })
    await team.settle(alice, bob)
    const { erasure_id } = await request({ scope_value: 'u-3' })
    await bob.sync()
    expect((await bob.call('memory.get', at('u-3', 'pet'))).found).toBe(false)
    const { rows } = await sql<{ erased_by: string }>`SELECT erased_by FROM loom.memory WHERE user_id = 'u-3'`.execute(
      bob.loom.database.reader,
    )
    expect(rows).toEqual([{ erased_by: erasure_id }])
    await bob.call('memory.set', { ...at('u-3', 'pet'), value: 'u-3 has a dog.' })
    await team.settle(bob, alice)
    for (const desktop of [alice, bob])
      expect(await desktop.call('memory.get', at('u-3', 'pet'))).toMatchObject({ found: true, value: 'u-3 has a dog.' })
    expect((await team.heads()).get('chat|a|u-3|pet')).toMatchObject({ value: '"u-3 has a dog."' })
  })

  test('[ERA004] a desktop exports what it has not pushed; the server does not know it', async () => {
    bob.wire.mode = 'cut'
    await bob.call('memory.set', { ...at('u-4', 'offline'), value: 'Written on the train.' })
    const input = { org: 'acme', scope_type: 'namespace', scope_value: 'chat', requester: 'bob' } as const
    const keys = (told: { memory: { rows: Record<string, unknown>[] } }) => told.memory.rows.map((row) => row['memory_key'])
    expect(keys((await bob.call('erasure.export', input)) as never)).toContain('offline')
    expect(keys((await ask('erasure.export', input)) as never)).not.toContain('offline')
    const refusal = bob.call('erasure.request', { org: 'acme', scope_type: 'namespace', scope_value: 'chat', requester: 'bob' })
    await expect(refusal).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    bob.wire.mode = 'open'
    await bob.sync()
  })

  test('a request from a desktop runs on the server, and status and list answer as there', async () => {
    await bob.call('memory.set', { org: 'acme', namespace: 'scrap', agent: 'a', memory_key: 'x', value: 'Of the scrap.' })
    await bob.sync()
    const made = await bob.call('erasure.request', { org: 'acme', scope_type: 'namespace', scope_value: 'scrap', requester: 'bob' })
    expect(made).toMatchObject({ status: 'completed', failure_reason: '', residue: {} })
    expect((await bob.call('erasure.list', { org: 'acme' })).rows.map((row) => row.erasure_id)).toContain(made.erasure_id)
    expect((await ask('erasure.list', { org: 'acme' }))['rows']).toEqual(
      expect.arrayContaining([expect.objectContaining({ erasure_id: made.erasure_id })]),
    )
    // Named by its id alone, each is found where it ran.
    expect(await bob.call('erasure.status', { erasure_id: made.erasure_id })).toMatchObject({
      found: true,
      org: 'acme',
      status: 'completed',
    })
    const own = await bob.call('erasure.request', { org: 'dev', scope_type: 'namespace', scope_value: 'scrap', requester: 'bob' })
    expect(await bob.call('erasure.status', { erasure_id: own.erasure_id })).toMatchObject({ found: true, org: 'dev' })
    expect(await bob.call('erasure.status', { erasure_id: 'er_none' })).toMatchObject({ found: false })
  })

  test('a receipt is taken from its device alone, whole, signed, and for what was asked', async () => {
    const secrets = await bob.secrets.read()
    const { erasure_id } = await request({ scope_value: 'u-9', purge: true })
    await bob.sync()
    const told = (await ask('erasure.status', { erasure_id })) as unknown as {
      receipts: Record<string, unknown>[]
      devices_pending: { device_id: string }[]
    }
    const {
      received_at: _at,
      signature,
      ...receipt
    } = told.receipts[0] as never as Parameters<typeof signReceipt>[0] & { received_at: string; signature: string }
    const claims = bob.loom.engine.sync?.connection?.claims
    const send = (sent: object) =>
      team.server.loom.engine.run(
        'erasure.receipt',
        { receipt: sent },
        { claims: claims!, transport: 'http', fills: {}, local: false, requestId: 'r' },
      )
    const signed = (change: object) => signReceipt({ ...receipt, ...change }, secrets?.deviceKey ?? '')
    expect(await send({ ...receipt, signature })).toMatchObject({ accepted: true, reason: '' })
    expect(await send(signed({ device_id: told.devices_pending[0]?.device_id ?? 'dev_x' }))).toMatchObject({
      accepted: false,
      reason: 'not_this_device',
    })
    expect(await send(signed({ erasure_id: 'er_none' }))).toMatchObject({ reason: 'unknown_erasure' })
    expect(await send(signed({ seq: receipt.seq + 40 }))).toMatchObject({ reason: 'unknown_erasure' })
    expect(await send(signed({ purge: false }))).toMatchObject({ reason: 'purge_mismatch' })
    expect(await send(signed({ census: { 'pg:memory': 0 } }))).toMatchObject({ reason: 'incomplete_census' })
    expect(await send({ ...receipt, rows_affected: 77, signature })).toMatchObject({ reason: 'bad_signature' })
    expect(await send(signed({ census: { ...receipt.census, 'pg:memory': 1 } }))).toMatchObject({ accepted: false, reason: 'residue' })
    expect(((await ask('erasure.status', { erasure_id }))['devices_pending'] as object[]).length).toBe(2)
    expect(await send(signed({}))).toMatchObject({ accepted: true })
    await expect(ask('erasure.receipt', { receipt: signed({}) })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  test('what a desktop cannot erase yet is told in sync.status and in its receipt, and tried again', async () => {
    await alice.call('memory.set', { ...at('u-5', 'x'), value: 'Of u-5.' })
    await team.settle(alice, bob)
    const { reader } = bob.loom.database
    await sql.raw(`CREATE FUNCTION loom.stay() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RETURN NULL; END $f$`).execute(reader)
    await sql.raw(`CREATE TRIGGER stay BEFORE DELETE ON loom.memory_version FOR EACH ROW EXECUTE FUNCTION loom.stay()`).execute(reader)
    const { erasure_id } = await request({ scope_value: 'u-5', purge: true })
    await bob.sync()
    expect((await bob.call('sync.status', {})).erasures_failed).toEqual([erasure_id])
    await sql.raw('DROP TRIGGER stay ON loom.memory_version').execute(reader)
    await sql`UPDATE loom.erasure_own_receipt SET applied_at = now() - interval '2 hours' WHERE NOT clean`.execute(reader)
    await bob.sync()
    expect((await bob.call('sync.status', {})).erasures_failed).toEqual([])
    await alice.sync()
    expect(await pending(String(erasure_id))).toBe(0)
  })

  test('a revoked device stays among those that owe a receipt, and says so', async () => {
    const carol = await team.desktop({ subject: 'carol' })
    const devices = (await ask('device.list', { org: 'acme' }))['devices'] as { device_id: string; subject: string }[]
    const { erasure_id } = await request({ scope_value: 'u-6' })
    await ask('device.revoke', { device_id: devices.find((device) => device.subject === 'carol')?.device_id })
    await team.settle(alice, bob)
    expect((await ask('erasure.status', { erasure_id }))['devices_pending']).toMatchObject([{ revoked: true }])
    await carol.close()
  })
})
