import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

const SECRET = 'Production deploys run Tuesday and Thursday only; the code is XYZZY-7351.'
const AGAINST = 'Production deploys run Monday to Thursday.'

let loom: TestEngine
let now = Date.parse('2026-03-02T10:00:00Z')
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => now })
})
afterAll(() => loom.close())

/** A claim with a secret, and another that was judged against it: both answers are kept, and the second quotes the first. */
async function quoted(more: object = {}) {
  const namespace = `e${++spaces}`
  const set = (memory_key: string, value: string, key: string, rest: object = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...rest }, { idempotencyKey: `${namespace}-${key}` })
  const first = await set('deploy/code', SECRET, 'first', more)
  const second = await set('ops/deploys', AGAINST, 'second')
  expect(second.peers[0]).toMatchObject({ memory_id: first.memory_id, excerpt: expect.stringContaining('XYZZY') })
  const again = {
    first: () => set('deploy/code', SECRET, 'first', more),
    second: () => set('ops/deploys', AGAINST, 'second'),
  }
  expect(await again.first()).toEqual(first)
  expect(await again.second()).toEqual(second)
  return { namespace, set, first, second, again }
}

async function kept(namespace: string): Promise<string> {
  const { rows } = await sql<{ row: string }>`SELECT i::text AS row FROM loom.idempotency i
    WHERE idempotency_key LIKE ${`${namespace}-%`}`.execute(loom.database.reader)
  return rows.map(({ row }) => row).join('\n')
}

it('a redacted version is in no answer kept for a repeat, nor is the hash of the call that brought it; a repeat writes nothing', async () => {
  const { namespace, set, first, again } = await quoted()
  await set('deploy/code', 'Production deploys need a badge.', 'third')
  const bodies = (await kept(namespace)).match(/[0-9a-f]{64}/g)
  expect(bodies?.length).toBeGreaterThanOrEqual(3)
  await loom.call('memory.redact', { namespace, memory_key: 'deploy/code', version: first.version, reason: 'a secret' })
  expect(await kept(namespace)).not.toContain('XYZZY')
  const left = await kept(namespace)
  expect(left).not.toContain(first.memory_id)
  expect(left).not.toMatch(/[0-9a-f]{64}/)
  const before = await countStores(loom.database)
  expect((await refused(again.first(), 'IDEMPOTENCY_MISMATCH')).message).toContain('erased')
  await refused(again.second(), 'IDEMPOTENCY_MISMATCH')
  expect(await countStores(loom.database)).toEqual(before)
})

it('other rows’ answers stay', async () => {
  const { namespace, first } = await quoted()
  const other = await quoted()
  await loom.call('memory.set', { namespace, memory_key: 'deploy/code', value: 'Production deploys need a badge.' })
  await loom.call('memory.redact', { namespace, memory_key: 'deploy/code', version: first.version, reason: 'a secret' })
  expect(await other.again.first()).toEqual(other.first)
  expect(await other.again.second()).toEqual(other.second)
})

it('memory.clear takes the answers that quote what it clears, and keeps its own', async () => {
  const { namespace, again } = await quoted({ agent: 'doomed' })
  const clear = () =>
    loom.call('memory.clear', { namespace, agent: 'doomed', confirm_subject: 'doomed' }, { idempotencyKey: `${namespace}-clear` })
  const cleared = await clear()
  expect(cleared).toMatchObject({ cleared: 1 })
  expect(await kept(namespace)).not.toContain('XYZZY')
  await refused(again.second(), 'IDEMPOTENCY_MISMATCH')
  expect(await clear()).toEqual(cleared)
})

it('an expiry that anonymizes takes them too', async () => {
  const { namespace, again } = await quoted({ ttl_seconds: 60, on_expire: 'anonymize' })
  now += 61_000
  await loom.engine.runDueJobs()
  expect(await loom.call('memory.get', { namespace, memory_key: 'deploy/code' })).toMatchObject({ value: '[anonymized]' })
  expect(await kept(namespace)).not.toContain('XYZZY')
  await refused(again.first(), 'IDEMPOTENCY_MISMATCH')
})
