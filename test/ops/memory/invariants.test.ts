import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { brokenPromises, compareIndexes, countsOf, findableIds, foundIds, leftUndone, type Counts } from '../../helpers/invariants.ts'

// Few places, so that most calls meet a row.
const KEYS = ['k/a', 'k/a', 'k/b']
const AGENTS = ['one', 'one', 'one', 'two']
const VALUES = [
  'Production deploys run Tuesday and Thursday only; never Friday.',
  'Production deploys run Monday to Thursday.',
  'The kettle in the east kitchen is broken.',
  { claim: 'Ferns want water every second day.', seen: 3 },
  `A long note on the archive. ${'It goes on for a while. '.repeat(70)}`,
]

interface Step {
  readonly op: string
  readonly input: Record<string, unknown>
}

const key = fc.constantFrom(...KEYS)
const agent = fc.constantFrom(...AGENTS)
const at = fc.record({ memory_key: key, agent })
const value = fc.constantFrom(...VALUES)
const step = (op: string, input: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Step> => input.map((made) => ({ op, input: made }))
const on = (op: string, more: Record<string, fc.Arbitrary<unknown>> = {}): fc.Arbitrary<Step> =>
  step(
    op,
    fc.tuple(at, fc.record(more)).map(([place, rest]) => ({ ...place, ...rest })),
  )

const WRITES = on('memory.set', {
  value,
  memory_type: fc.constantFrom('semantic', 'semantic', 'profile', 'episodic'),
  sensitivity: fc.constantFrom('', '', 'high'),
  tags: fc.constantFrom([], ['x'], ['x', 'y']),
  pinned: fc.constantFrom(false, false, false, true),
})

/** A row that a step names by what it finds at the time: its id, or that of a pair it is in. */
const found = (name: 'memory_id' | 'pair_id'): Record<string, fc.Arbitrary<unknown>> => ({ [name]: fc.constant('found') })
const settle = (op: string, more: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Step> =>
  step(op, fc.record({ ...found('pair_id'), ...more }))
const past = step('namespace.rollback', fc.constant({ to: 'earlier', reason: 'r', dry_run: false }))

/** What changes many rows, settles pairs, or binds what comes later. */
const WIDER: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: step(
      'memory.bulk_set',
      fc.constantFrom('one', 'two').map((name) => ({
        agent: name,
        entries: [
          { memory_key: 'k/a', value: VALUES[0] },
          { memory_key: 'k/b', value: VALUES[1] },
        ],
      })),
    ),
    weight: 6,
  },
  {
    arbitrary: step(
      'memory.bulk_set',
      fc.record({ agent, entries: fc.array(fc.record({ memory_key: key, value }), { minLength: 1, maxLength: 4 }) }),
    ),
    weight: 4,
  },
  { arbitrary: settle('conflicts.resolve', { resolution: fc.constantFrom('keep_row', 'keep_peer', 'keep_both', 'reopen') }), weight: 6 },
  { arbitrary: settle('conflicts.resolve', { resolution: fc.constant('merge'), value }), weight: 3 },
  { arbitrary: settle('memory.dedup_resolve', { keep: fc.constantFrom('canonical', 'duplicate', 'both') }), weight: 3 },
  { arbitrary: step('memory.dedup_collapse', fc.record({ expand: fc.boolean() })), weight: 1 },
  { arbitrary: step('memory.resolve_orphan_duplicates', fc.constant({})), weight: 1 },
  { arbitrary: step('memory.update_by_id', fc.record({ ...found('memory_id'), value })), weight: 2 },
  { arbitrary: on('memory.pin', { value }), weight: 1 },
  { arbitrary: on('memory.set', { value: fc.constant(VALUES[0]), run_id: fc.constantFrom('r1', 'r2') }), weight: 5 },
  {
    arbitrary: on('memory.set', { value, ttl_seconds: fc.constant(60), on_expire: fc.constantFrom('tombstone', 'demote', 'anonymize') }),
    weight: 3,
  },
  { arbitrary: step('blacklist.add', fc.record({ pattern: fc.constant('kettle'), sweep: fc.boolean() })), weight: 1 },
  { arbitrary: step('blacklist.sweep', fc.constant({})), weight: 1 },
  {
    arbitrary: step('namespace.register', fc.record({ default_conflict_policy: fc.constantFrom('newest_wins', 'keep_existing', 'flag') })),
    weight: 2,
  },
  { arbitrary: past, weight: 2 },
  // Two minutes go by, and the background passes run.
  { arbitrary: fc.constant({ op: 'jobs', input: {} }), weight: 4 },
)

const STEPS: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: WIDER, weight: 26 },
  { arbitrary: WRITES, weight: 6 },
  { arbitrary: on('memory.update', { value }), weight: 2 },
  { arbitrary: on('memory.delete'), weight: 3 },
  { arbitrary: on('memory.restore'), weight: 4 },
  { arbitrary: on('memory.move', { to_key: fc.constantFrom('k/b', 'k/b', 'k/a', 'k/c'), keep_redirect: fc.boolean() }), weight: 3 },
  { arbitrary: on('memory.reject'), weight: 1 },
  { arbitrary: on('memory.touch', { ttl_seconds: fc.constantFrom(60, 600) }), weight: 1 },
  { arbitrary: on('memory.outcome', { outcome: fc.constantFrom('negative', 'negative', 'negative', 'positive') }), weight: 2 },
  { arbitrary: on('memory.verify', { verified: fc.boolean() }), weight: 1 },
  { arbitrary: on('memory.link', { to_key: fc.constant('k/b'), remove: fc.boolean() }), weight: 1 },
  { arbitrary: on('memory.lock', { mode: fc.constantFrom('read_only', 'no_delete'), reason: fc.constant('r') }), weight: 1 },
  { arbitrary: on('memory.unlock'), weight: 1 },
  { arbitrary: on('memory.unpin'), weight: 1 },
  { arbitrary: on('memory.delete_version', { version: fc.constantFrom('head', 'old') }), weight: 1 },
  { arbitrary: on('memory.redact', { version: fc.constantFrom('head', 'old'), reason: fc.constant('r') }), weight: 2 },
  {
    arbitrary: step(
      'memory.clear',
      agent.map((name) => ({ agent: name, confirm_subject: name })),
    ),
    weight: 1,
  },
  {
    arbitrary: step(
      'memory.apply',
      fc
        .record({
          agent,
          filter: fc.constant({ key_prefix: 'k/' }),
          limit: fc.constant(10),
          reason: fc.constant('r'),
          dry_run: fc.constantFrom(false, false, true),
          block: fc.constantFrom(
            { action: 'label', label: { tags: ['z'] } },
            { action: 'demote', demote: { confidence_factor: 0.5 } },
            { action: 'expire', expire: { ttl_seconds: 60 } },
            { action: 'delete' },
          ),
        })
        .map(({ block, ...rest }) => ({ ...rest, ...block })),
    ),
    weight: 2,
  },
)

/** Ops that may leave one audit row beside those of new versions. */
const BESIDE = new Set(['blacklist.add', 'namespace.register', 'namespace.rollback', 'memory.pin'])
const WITHOUT_VERSION = new Set([
  'memory.touch',
  'memory.verify',
  'memory.link',
  'memory.lock',
  'memory.unlock',
  'memory.unpin',
  'memory.redact',
])
const REFUSALS = [
  'LOCKED',
  'PINNED_CONFLICT',
  'EXPIRED',
  'KEY_HOLDS_FACT',
  'INVALID_ARGUMENT',
  'BLACKLISTED',
  'PRECONDITION_FAILED',
  'AMBIGUOUS_KEY',
]

describe('whatever is called, in whatever order', () => {
  let loom: TestEngine
  let rounds = 0
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  async function one<T>(statement: ReturnType<typeof sql<T>>): Promise<T | undefined> {
    return (await statement.execute(loom.database.reader)).rows[0]
  }

  /** Audit rows that an accepted call must leave: one for each changed row. */
  function expectAudit(op: string, answer: Record<string, unknown>, { versions, audit }: Counts): void {
    if (op === 'memory.move') expect(audit, op).toBe(versions / 2)
    else if (op === 'memory.clear') expect(audit, op).toBe(answer['cleared'])
    else if (op === 'memory.apply') expect(audit, op).toBe((answer['totals'] as { applied: number }).applied)
    else if (BESIDE.has(op)) expect([versions, versions + 1], op).toContain(audit)
    else if (WITHOUT_VERSION.has(op)) {
      expect(versions, op).toBe(0)
      expect(audit, op).toBeLessThanOrEqual(1)
    } else expect(audit, op).toBe(versions)
  }

  /** The call with what it names by the state of the store. */
  async function fill(input: Record<string, unknown>, namespace: string): Promise<Record<string, unknown>> {
    const named: Record<string, unknown> = { namespace, ...input }
    if (input['version'] !== undefined) {
      const head = await one(sql<{ version: bigint }>`SELECT v.version FROM loom.memory_version v JOIN loom.memory m USING (org, memory_id)
        WHERE m.namespace = ${namespace} AND m.memory_key = ${input['memory_key']} AND m.agent = ${input['agent']}
        ORDER BY v.version ${sql.raw(input['version'] === 'head' ? 'DESC' : 'ASC')} LIMIT 1`)
      named['version'] = head?.version ?? 1n
    }
    if (input['pair_id'] === 'found') {
      const pair = await one(sql<{ pair_id: string }>`SELECT pair_id FROM loom.memory_pair WHERE namespace = ${namespace}
        ORDER BY state, at DESC, pair_id LIMIT 1`)
      named['pair_id'] = pair?.pair_id ?? 'p_none'
    }
    if (input['memory_id'] === 'found') {
      const row = await one(
        sql<{ memory_id: string }>`SELECT memory_id FROM loom.memory WHERE namespace = ${namespace} ORDER BY version DESC LIMIT 1`,
      )
      named['memory_id'] = row?.memory_id ?? 'none'
    }
    if (input['to'] === 'earlier') named['to'] = new Date(now - 5000).toISOString()
    return named
  }

  async function run({ op, input }: Step, namespace: string): Promise<void> {
    if (op === 'jobs') {
      now += 120_000
      await loom.engine.runDueJobs()
      expect(await leftUndone(loom.database, namespace, now)).toEqual([])
      return
    }
    now += 1000
    const before = await countsOf(loom.database, namespace)
    const outcome = await loom.call(op as never, (await fill(input, namespace)) as never).then(
      (answer) => ({ answer: answer as Record<string, unknown> }),
      (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
    )
    const after = await countsOf(loom.database, namespace)
    if ('code' in outcome) {
      expect(REFUSALS, outcome.message).toContain(outcome.code)
      expect(after).toEqual(before)
      return
    }
    expectAudit(op, outcome.answer, {
      rows: after.rows - before.rows,
      versions: after.versions - before.versions,
      audit: after.audit - before.audit,
    })
  }

  it('keeps one head a key, a whole history, vectors of rows alone, an audit row a change, and the index of the store', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEPS, { minLength: 1, maxLength: 36, size: 'max' }), async (steps) => {
        const namespace = `inv-${rounds++}`
        for (const each of steps) {
          await run(each, namespace)
          expect(await brokenPromises(loom.database, namespace), JSON.stringify(each)).toEqual([])
          expect(await foundIds(loom, namespace), JSON.stringify(each)).toEqual(await findableIds(loom.database, namespace, now))
        }
        await compareIndexes(loom, namespace, now)
      }),
      { numRuns: Number(process.env['LOOM_TEST_RUNS'] ?? 10) },
    )
  }, 120_000)
})
