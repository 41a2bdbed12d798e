import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rotateAll } from '../../shared/engine/shapes/handles.ts'
import type { TestEngine } from '../helpers/engine.ts'
import { openTeam, type Desktop, type Team } from './team.ts'

const DAY_MS = 86_400_000
const KEYS = ['day', 'place', 'lead']
const VALUES = [
  'Deploys run on Monday.',
  'Deploys run on Friday.',
  'The office is in Bern.',
  'The office is in Basel.',
  'Alice leads the team.',
  'Bob leads the team.',
]

let team: Team
let desktops: Desktop[] = []

beforeAll(async () => {
  team = await openTeam()
  for (const skew of [-DAY_MS, 0, DAY_MS]) desktops.push(await team.desktop({ engine: { clock: () => Date.now() + skew } }))
}, 180_000)
afterAll(() => team.close())

const device = fc.nat({ max: 2 })
const key = fc.constantFrom(...KEYS)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('set' as const), device, key, value: fc.constantFrom(...VALUES) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), device, key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restore' as const), device, key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pin' as const), device, key, value: fc.constantFrom(...VALUES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('touch' as const), device, key }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), device, key, to: key }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('update' as const), device, key, value: fc.constantFrom(...VALUES) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('lock' as const, 'unlock' as const, 'reject' as const, 'verify' as const, 'unpin' as const),
      device,
      key,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('bulk' as const),
      device,
      values: fc.array(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('clear' as const, 'label' as const, 'resolve' as const, 'rotate' as const, 'restart' as const),
      device,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link' as const), device, key, to: key }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('sync' as const),
      device,
      wire: fc.constantFrom('open' as const, 'open' as const, 'lose' as const),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const WRONG = new Set(['INTERNAL', 'UNKNOWN_ARGUMENT', 'UNKNOWN_OPERATION', 'FORBIDDEN', 'NOT_IMPLEMENTED'])

/** Runs a step; what a rule refuses here and now is part of the story. Answers the value that it stored. */
async function run(one: Step, namespace: string): Promise<string | null> {
  const desktop = desktops[one.device]
  if (!desktop) return null
  const place = { org: 'acme', namespace, agent: 'a' }
  try {
    if (one.kind === 'set') {
      const set = await desktop.call('memory.set', { ...place, memory_key: one.key, value: one.value })
      return set.noop || set.merged_into_key !== '' || set.status === 'rejected' ? null : one.value
    }
    if (one.kind === 'pin') await desktop.call('memory.pin', { ...place, memory_key: one.key, value: one.value })
    else if (one.kind === 'delete') await desktop.call('memory.delete', { ...place, memory_key: one.key })
    else if (one.kind === 'restore') await desktop.call('memory.restore', { ...place, memory_key: one.key })
    else if (one.kind === 'touch') await desktop.call('memory.touch', { ...place, memory_key: one.key, ttl_seconds: 30 * 86_400 })
    else if (one.kind === 'update') await desktop.call('memory.update', { ...place, memory_key: one.key, value: one.value })
    else if (one.kind === 'lock') await desktop.call('memory.lock', { ...place, memory_key: one.key, reason: 'test' })
    else if (one.kind === 'unlock') await desktop.call('memory.unlock', { ...place, memory_key: one.key, reason: 'test' })
    else if (one.kind === 'reject') await desktop.call('memory.reject', { ...place, memory_key: one.key })
    else if (one.kind === 'verify') await desktop.call('memory.verify', { ...place, memory_key: one.key })
    else if (one.kind === 'unpin') await desktop.call('memory.unpin', { ...place, memory_key: one.key })
    else if (one.kind === 'link') await desktop.call('memory.link', { ...place, memory_key: one.key, to_key: one.to, relation: 'see_also' })
    else if (one.kind === 'clear') await desktop.call('memory.clear', { ...place, confirm_subject: 'a' })
    else if (one.kind === 'label')
      await desktop.call('memory.apply', {
        ...place,
        keys: KEYS,
        action: 'label',
        label: { tags: ['blue'], mode: 'add' },
        reason: 'test',
        dry_run: false,
      })
    else if (one.kind === 'bulk')
      await desktop.call('memory.bulk_set', { ...place, entries: one.values.map((value, at) => ({ memory_key: KEYS[at] ?? '', value })) })
    else if (one.kind === 'resolve') {
      const { pairs } = await desktop.call('conflicts.list', { ...place })
      const [pair] = pairs
      if (pair) await desktop.call('conflicts.resolve', { ...place, pair_id: pair.pair_id, resolution: 'keep_row' })
    } else if (one.kind === 'restart') await desktop.restart()
    else if (one.kind === 'rotate') await team.server.loom.database.transaction(rotateAll)
    else if (one.kind === 'move') await desktop.call('memory.move', { ...place, memory_key: one.key, to_key: one.to })
    else if (one.kind === 'sync') {
      desktop.wire.mode = one.wire
      await desktop.sync()
    }
  } catch (error) {
    const { code } = error as { code?: string }
    // A call that is wrong by itself would prove nothing.
    if (code === undefined || WRONG.has(code)) throw error
  } finally {
    desktop.wire.mode = 'open'
  }
  return null
}

async function stateOf({ database }: TestEngine, namespace: string): Promise<unknown> {
  const { rows: heads } =
    await sql`SELECT memory_key, memory_id, version, value, status, conflict_verdict, pinned, tags, lock_mode, verified_sha256, superseded_by,
      expires_at, rev, provisional
    FROM loom.memory WHERE org = 'acme' AND namespace = ${namespace} ORDER BY memory_key`.execute(database.reader)
  const { rows: versions } = await sql`SELECT memory_id, version, value, status, lost, provisional FROM loom.memory_version
    WHERE org = 'acme' AND namespace = ${namespace} ORDER BY memory_id, version`.execute(database.reader)
  const { rows: pairs } = await sql`SELECT pair_id, state, resolution FROM loom.memory_pair WHERE org = 'acme' AND namespace = ${namespace}
    ORDER BY pair_id`.execute(database.reader)
  const { rows: links } = await sql`SELECT from_id, to_id, relation FROM loom.memory_link WHERE org = 'acme' AND namespace = ${namespace}
    ORDER BY from_id, to_id`.execute(database.reader)
  return { heads, versions, pairs, links }
}

async function written(namespace: string): Promise<Set<string>> {
  const { rows } = await sql<{
    value: string
  }>`SELECT DISTINCT value FROM loom.memory_version WHERE org = 'acme' AND namespace = ${namespace}
    AND value IS NOT NULL`.execute(team.server.loom.database.reader)
  const found = new Set(rows.map((row) => row.value))
  for (const { loom } of desktops) {
    const { rows: kept } = await sql<{ value: string }>`SELECT mine::jsonb ->> 'value' AS value FROM loom.sync_inbox
      WHERE org = 'acme' AND namespace = ${namespace}`.execute(loom.database.reader)
    for (const { value } of kept) if (value !== null) found.add(JSON.stringify(value))
  }
  return found
}

let runs = 0

test(
  'any interleaving of edits, lost answers, restarts and skewed clocks ends with the same heads, histories and pairs everywhere, and no value is lost',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 14 }),
        fc.constantFrom('flag', 'newest_wins', 'keep_existing'),
        async (steps, policy) => {
          const namespace = `run-${++runs}`
          await team.server.call(team.admin, 'namespace.register', { namespace, default_conflict_policy: policy })
          await team.settle(...desktops)
          const stored = new Set<string>()
          for (const one of steps) {
            const value = await run(one, namespace)
            if (value !== null) stored.add(JSON.stringify(value))
          }
          await team.settle(...desktops)
          const truth = await stateOf(team.server.loom, namespace)
          for (const { loom } of desktops) {
            expect(await stateOf(loom, namespace)).toEqual(truth)
            const status = await loom.call('sync.status', {})
            expect(status).toMatchObject({ queued: 0, quarantined: 0 })
            const { rows } = await sql`SELECT relation, row_key FROM loom.sync_base WHERE org = 'acme'`.execute(loom.database.reader)
            expect(rows).toEqual([])
          }
          // In a history, or with the person whose change the server refused or merged.
          expect([...(await written(namespace))]).toEqual(expect.arrayContaining([...stored]))
        },
      ),
      { numRuns: Number(process.env['LOOM_TEST_RUNS'] ?? 10), interruptAfterTimeLimit: 200_000 },
    )
  },
)
