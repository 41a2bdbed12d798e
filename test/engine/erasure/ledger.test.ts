import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openLedgerFile } from '../../../shared/engine/erasure/ledger-file.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, ORG } from '../../ops/erasure/people.ts'
import { tablesWith } from '../../ops/erasure/seed.ts'
import { mint } from '../../sync-server/token-helpers.ts'

// A purge goes through every table.
vi.setConfig({ testTimeout: 120_000 })

/** A database that is put back to an earlier day loses what was erased since, before anything is served. */

let folder: string
let ledgerFile: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-ledger-'))
  ledgerFile = join(folder, 'erasure-ledger.jsonl')
})
afterEach(() => rm(folder, { recursive: true }))

const open = (name: string) =>
  openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, folder: join(folder, name), erasure: { ledgerFile } })
const set = (loom: TestEngine, user_id: string, value: string) =>
  loom.call('memory.set', { org: ORG, namespace: 'chat', agent: 'a', user_id, memory_key: 'tea', value }, ADMIN)
const erase = (loom: TestEngine, more = {}) =>
  loom.call('erasure.request', { org: ORG, scope_type: 'user_id', scope_value: 'u-1', requester: 'dpo', purge: true, ...more }, ADMIN)

it('fences that a restored database lacks are carried out before it serves, for the very user whose hash they hold', async () => {
  const first = await open('first')
  await set(first, 'u-1', 'Potoroo81 drinks tea.')
  const { erasure_id } = await erase(first)
  await erase(first, { scope_type: 'namespace', scope_value: 'never-seen' })
  await first.close()
  const lines = (await readFile(ledgerFile, 'utf8')).trim().split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain(erasure_id)
  expect(lines.join()).not.toContain('u-1')

  // The database of before the erasure: the same rows, and no fence. What is said later carries no number either.
  const dump = openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, folder: join(folder, 'second') })
  const before = await dump
  await set(before, 'u-1', 'Potoroo81 drinks tea.')
  await set(before, 'u-2', 'Somebody else drinks tea.')
  await before.close()

  const restored = await open('second')
  expect(await tablesWith(restored.database, 'Potoroo81')).toEqual({})
  expect(
    (await restored.call('memory.get', { org: ORG, namespace: 'chat', agent: 'a', user_id: 'u-2', memory_key: 'tea' }, ADMIN)).found,
  ).toBe(true)
  expect(await restored.call('erasure.status', { erasure_id }, ADMIN)).toMatchObject({
    found: true,
    status: 'completed',
    scope_type: 'user_id',
    scope_value: '-',
    requester: '-',
  })
  const { rows } = await sql<{ seq: bigint }>`SELECT erasure_seq AS seq FROM loom.org WHERE org = ${ORG}`.execute(restored.database.reader)
  expect(rows[0]?.seq).toBe(2n)
  // A new erasure goes above the highest of both.
  await erase(restored, { scope_value: 'u-2' })
  expect((await openLedgerFile(ledgerFile).fences()).map((fence) => fence.seq)).toEqual([1n, 2n, 3n])
  await restored.close()
}, 60_000)

it('what a killed process left half written is passed over, and the file is made whole from the database', async () => {
  const loom = await open('first')
  await erase(loom)
  await loom.close()
  await appendFile(ledgerFile, '{"type":"fence","org":"acme","seq":"9","erasu')
  expect((await openLedgerFile(ledgerFile).fences()).map((fence) => fence.seq)).toEqual([1n])
  const again = await open('first')
  await erase(again, { scope_value: 'u-3' })
  await again.close()
  expect((await openLedgerFile(ledgerFile).fences()).map((fence) => fence.seq)).toEqual([1n, 2n])
  await writeFile(ledgerFile, '')
  await (await open('first')).close()
  expect((await openLedgerFile(ledgerFile).fences()).map((fence) => fence.seq)).toEqual([1n, 2n])
}, 60_000)

it('a token that was revoked stays so in a database that does not know', async () => {
  const loom = await open('first')
  const { token, claims } = await mint(loom.database, { org: ORG, grants: { '*': 'org_admin' } })
  await mint(loom.database, { org: ORG, grants: { '*': 'org_admin' } })
  await loom.call('token.revoke', { token_id: claims.token_id }, ADMIN)
  await loom.close()
  expect(await readFile(ledgerFile, 'utf8')).toContain(claims.token_id)
  const before = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, folder: join(folder, 'first') })
  await sql`UPDATE loom.auth_token SET revoked_at = NULL`.execute(before.database.reader)
  await before.close()
  const restored = await open('first')
  await expect(restored.engine.authenticate(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await restored.close()
}, 60_000)
