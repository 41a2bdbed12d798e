import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { ADMIN, ORG } from '../../helpers/push.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

const TEA = 'Ada prefers green tea in the morning.'
const PLACE = { org: ORG, namespace: 'chat', agent: 'scribe' } as const
const keyOf = (text: string): string => `import:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, config: { rates: UNLIMITED } })
  await loom.call('namespace.register_category', { org: ORG, namespace: 'chat', category: 'Habits' }, ADMIN)
})
afterAll(() => loom.close())

const take = (user_id: string, text = TEA) =>
  loom.call('memory.import', { ...PLACE, user_id, entries: [{ text, category: 'Habits' }] }, ADMIN)
const erase = (user_id: string, purge: boolean) =>
  loom.call('erasure.request', { org: ORG, scope_type: 'user_id', scope_value: user_id, requester: 'dpo@acme.example', purge }, ADMIN)
const links = async (key: string) =>
  (
    await sql<{
      rescinded: boolean
      seq: string
    }>`SELECT rescinded_at IS NOT NULL AS rescinded, erasure_seq::text AS seq FROM loom.memory_category
      WHERE org = ${ORG} AND namespace = 'chat' AND memory_key = ${key}`.execute(loom.database.reader)
  ).rows

it('is imported as new after an erasure with purge left no row of its key [IMP038]', async () => {
  expect((await take('u1')).results).toMatchObject([{ outcome: 'written', reason: '' }])
  expect((await take('u1')).results).toMatchObject([{ outcome: 'skipped', reason: 'unchanged' }])
  expect(await erase('u1', true)).toMatchObject({ status: 'completed', residue_count: 0 })
  expect((await take('u1')).results).toMatchObject([{ outcome: 'written', reason: '' }])
  const row = await loom.call('memory.get', { ...PLACE, user_id: 'u1', memory_key: keyOf(TEA) }, ADMIN)
  expect(row).toMatchObject({ found: true, value: TEA, status: 'active', categories: ['Habits'] })
})

it('an erasure takes the category links of keys that nobody else holds, and keeps those that somebody does [IMP051]', async () => {
  const [own, both] = ['Only Ada keeps bees on the roof.', 'The whole team meets on Monday at ten.']
  await take('u2', own)
  await take('u2', both)
  await take('u3', both)
  expect(await links(keyOf(own))).toHaveLength(1)
  expect(await erase('u2', true)).toMatchObject({ status: 'completed', residue_count: 0, residue: {} })
  expect(await links(keyOf(own))).toEqual([])
  expect(await links(keyOf(both))).toMatchObject([{ rescinded: false }])
  const kept = await loom.call('memory.get', { ...PLACE, user_id: 'u3', memory_key: keyOf(both) }, ADMIN)
  expect(kept).toMatchObject({ found: true, categories: ['Habits'] })
})

it('a shared copy goes with the row that it is of, from every shelf', async () => {
  const memory_key = 'shared/bees'
  await loom.call('memory.set', { ...PLACE, user_id: 'u4', memory_key, value: 'Dee keeps bees in the yard.' }, ADMIN)
  await loom.call('memory.promote', { ...PLACE, memory_key }, ADMIN)
  await loom.call('namespace.register', { org: ORG, namespace: 'team' }, ADMIN)
  await loom.call('memory.cross_promote', { ...PLACE, memory_key, to_namespace: 'team' }, ADMIN)
  expect(await erase('u4', false)).toMatchObject({ status: 'completed', residue_count: 0 })
  const { rows } = await sql`SELECT 1 FROM loom.memory_shelf WHERE org = ${ORG}`.execute(loom.database.reader)
  expect(rows).toEqual([])
})

it('a rescind that lands while the import runs may be overridden by it, and never leaves two links [IMP043]', async () => {
  const text = 'Cem rows across the bay on Sundays.'
  await take('u5', text)
  const claims = { ...localClaims('human', 'root'), org: ORG, grants: { '*': 'org_admin' } as const }
  const rescind = () =>
    loom.call(
      'memory.assign_category',
      { org: ORG, namespace: 'chat', memory_key: keyOf(text), category: 'Habits', rescind: true },
      { claims },
    )
  const [imported] = await Promise.all([take('u6', text), rescind()])
  expect(imported.results).toMatchObject([{ key: keyOf(text) }])
  const found = await links(keyOf(text))
  expect(found).toHaveLength(1)
  // Run alone afterwards, what the owner rescinded stays so.
  await rescind()
  expect((await take('u6', text)).results).toMatchObject([{ note: 'category_rescinded' }])
  expect(await links(keyOf(text))).toMatchObject([{ rescinded: true }])
})
