import fc from 'fast-check'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_CONFIG } from '../../../shared/engine/config.ts'
import { createEngine } from '../../../shared/engine/create.ts'
import { openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { testModels } from '../../helpers/models.ts'

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

const STEPS: fc.Arbitrary<Step> = fc.oneof(
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

interface Counts {
  readonly rows: number
  readonly versions: number
  readonly audit: number
}

describe('whatever is called, in whatever order', () => {
  let loom: TestEngine
  let rounds = 0
  const now = Date.now()
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  async function query<T>(statement: ReturnType<typeof sql<T>>): Promise<T[]> {
    return (await statement.execute(loom.database.reader)).rows
  }

  async function counts(namespace: string): Promise<Counts> {
    const [found] = await query(sql<Counts>`SELECT
      (SELECT count(*)::int FROM loom.memory WHERE namespace = ${namespace}) AS rows,
      (SELECT count(*)::int FROM loom.memory_version WHERE namespace = ${namespace}) AS versions,
      (SELECT count(*)::int FROM loom.audit WHERE namespace = ${namespace}) AS audit`)
    if (!found) throw new Error('not counted')
    return found
  }

  /** Audit rows that an accepted call must leave: one for each changed row. */
  function auditOf(op: string, answer: Record<string, unknown>, grown: Counts): number {
    if (op === 'memory.move') return grown.versions / 2
    if (op === 'memory.clear') return answer['cleared'] as number
    if (op === 'memory.apply') return (answer['totals'] as { applied: number }).applied
    if (['memory.touch', 'memory.verify', 'memory.link', 'memory.lock', 'memory.unlock', 'memory.unpin', 'memory.redact'].includes(op)) {
      expect(grown.versions).toBe(0)
      expect(grown.audit).toBeLessThanOrEqual(1)
      return grown.audit
    }
    return grown.versions
  }

  async function run({ op, input }: Step, namespace: string): Promise<void> {
    const before = await counts(namespace)
    const named = { namespace, ...input }
    if (input['version'] !== undefined) {
      const [head] = await query(sql<{
        version: bigint
      }>`SELECT v.version FROM loom.memory_version v JOIN loom.memory m USING (org, memory_id)
        WHERE m.namespace = ${namespace} AND m.memory_key = ${input['memory_key']} AND m.agent = ${input['agent']}
        ORDER BY v.version ${sql.raw(input['version'] === 'head' ? 'DESC' : 'ASC')} LIMIT 1`)
      Object.assign(named, { version: head?.version ?? 1n })
    }
    const outcome = await loom.call(op as never, named as never).then(
      (answer) => ({ answer: answer as Record<string, unknown> }),
      (error: { code: string }) => ({ code: error.code }),
    )
    const after = await counts(namespace)
    if ('code' in outcome) {
      expect(['LOCKED', 'PINNED_CONFLICT', 'EXPIRED', 'KEY_HOLDS_FACT', 'INVALID_ARGUMENT']).toContain(outcome.code)
      expect(after).toEqual(before)
      return
    }
    const grown = { rows: after.rows - before.rows, versions: after.versions - before.versions, audit: after.audit - before.audit }
    expect(grown.audit, op).toBe(auditOf(op, outcome.answer, grown))
  }

  /** Rows of the store that break a promise; none may. */
  async function broken(namespace: string): Promise<unknown[]> {
    return query(sql`
      SELECT 'two heads' AS what, memory_key AS which FROM loom.memory WHERE namespace = ${namespace} AND erased_by = ''
        GROUP BY org, namespace, agent, user_id, session_id, memory_key HAVING count(*) > 1
      UNION ALL SELECT 'head is not the newest version', m.memory_key FROM loom.memory m WHERE m.namespace = ${namespace}
        AND m.version IS DISTINCT FROM (SELECT max(v.version) FROM loom.memory_version v WHERE v.org = m.org AND v.memory_id = m.memory_id)
      UNION ALL SELECT 'head differs from its version', m.memory_key FROM loom.memory m
        JOIN loom.memory_version v ON v.org = m.org AND v.memory_id = m.memory_id AND v.version = m.version
        WHERE m.namespace = ${namespace} AND ((v.value, v.content_sha256, v.canonical_key, v.duplicate_of, v.superseded_by, v.tombstoned_at, v.redacted, v.sensitivity)
            IS DISTINCT FROM (m.value, m.content_sha256, m.canonical_key, m.duplicate_of, m.superseded_by, m.tombstoned_at, m.redacted, m.sensitivity)
          OR (v.status <> m.status AND m.status <> 'tombstoned'))
      UNION ALL SELECT 'version without a head', v.memory_key FROM loom.memory_version v WHERE v.namespace = ${namespace}
        AND NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = v.org AND m.memory_id = v.memory_id)
      UNION ALL SELECT 'vector without a row', e.memory_id FROM loom.memory_embedding e
        WHERE NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = e.org AND m.memory_id = e.memory_id AND m.value IS NOT NULL)
      UNION ALL SELECT 'embedded, and high or of a type that is not', m.memory_key FROM loom.memory m
        JOIN loom.memory_embedding e ON e.org = m.org AND e.memory_id = m.memory_id
        WHERE m.namespace = ${namespace} AND (m.sensitivity = 'high' OR m.memory_type IN ('episodic', 'profile'))
      UNION ALL SELECT 'live and found, and not embedded', m.memory_key FROM loom.memory m WHERE m.namespace = ${namespace}
        AND m.status IN ('active', 'conflicted', 'duplicate') AND m.memory_type = 'semantic' AND m.sensitivity <> 'high'
        AND NOT EXISTS (SELECT 1 FROM loom.memory_embedding e WHERE e.org = m.org AND e.memory_id = m.memory_id AND e.axis = 'value')
      UNION ALL SELECT 'chunks counted wrong', m.memory_key FROM loom.memory m WHERE m.namespace = ${namespace}
        AND m.chunks <> (SELECT count(*) FROM loom.memory_chunk c WHERE c.org = m.org AND c.memory_id = m.memory_id)
      UNION ALL SELECT 'link to itself or to nothing', l.from_id FROM loom.memory_link l WHERE l.namespace = ${namespace} AND (l.from_id = l.to_id
        OR NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.memory_id = l.from_id) OR NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.memory_id = l.to_id))
      UNION ALL SELECT 'redirect to no key of its identity', m.memory_key FROM loom.memory m WHERE m.namespace = ${namespace} AND m.status = 'redirect'
        AND NOT EXISTS (SELECT 1 FROM loom.memory t WHERE t.namespace = m.namespace AND t.agent = m.agent AND t.memory_key = m.canonical_key)`)
  }

  const SEARCHES = [{}, { tags: ['x'] }, { tags: ['z'] }, { min_confidence: 0.6 }, { agent: 'two' }, { search_mode: 'lexical' }]
  const WIDE = {
    include_superseded: true,
    include_duplicates: true,
    include_conflicted: true,
    include_top_n_unmatched: 50,
    top_k: 50,
    explain: true,
  }

  /** Rows that a search of everything finds, and rows of the store that it should find. */
  async function foundIds(namespace: string): Promise<string[]> {
    const { results } = await loom.call('memory.search', { namespace, query: 'production deploys', ...WIDE })
    return results.map((hit) => `${hit.memory_id} ${hit.status}`).sort()
  }

  async function findableIds(namespace: string): Promise<string[]> {
    const rows = await query(sql<{ memory_id: string; status: string }>`SELECT memory_id, status FROM loom.memory
      WHERE namespace = ${namespace} AND status IN ('active', 'conflicted', 'duplicate', 'superseded') AND memory_type = 'semantic'
        AND sensitivity <> 'high' AND value IS NOT NULL`)
    return rows.map((row) => `${row.memory_id} ${row.status}`).sort()
  }

  type Search = (input: Record<string, unknown>) => Promise<{ results: readonly { memory_id: string; rank_score: number }[] }>

  /** Scores by row, for each search; the store keeps vectors in half the digits, so scores are near and not equal. */
  async function found(search: Search, namespace: string): Promise<Map<string, number>[]> {
    const answers = []
    for (const filter of SEARCHES) {
      const { results } = await search({ namespace, query: 'when do production deploys run, and is the kettle broken', ...WIDE, ...filter })
      answers.push(new Map(results.map((hit) => [hit.memory_id, hit.rank_score])))
    }
    return answers
  }

  /** This engine's index followed every commit; that of a new engine is filled from the store. They answer alike. */
  async function compareIndexes(namespace: string): Promise<void> {
    const options = { host: 'desktop', mode: 'single', config: DEFAULT_CONFIG, log: pino({ level: 'silent' }) } as const
    const fresh = await createEngine({ ...options, database: loom.database, models: await testModels(), clock: () => now })
    const hot = await found((input) => loom.call('memory.search', input as never), namespace)
    const filled = await found((input) => fresh.run('memory.search', input, testCaller()) as never, namespace)
    await fresh.close()
    for (const [at, scores] of hot.entries()) {
      expect([...scores.keys()].sort()).toEqual([...(filled[at]?.keys() ?? [])].sort())
      for (const [id, score] of scores) expect(Math.abs(score - (filled[at]?.get(id) ?? 0))).toBeLessThan(0.02)
    }
  }

  it('keeps one head a key, a whole history, vectors of rows alone, an audit row a change, and the index of the store', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEPS, { minLength: 12, maxLength: 24, size: 'max' }), async (steps) => {
        const namespace = `inv-${rounds++}`
        for (const each of steps) {
          await run(each, namespace)
          expect(await broken(namespace), JSON.stringify(each)).toEqual([])
          expect(await foundIds(namespace), JSON.stringify(each)).toEqual(await findableIds(namespace))
        }
        await compareIndexes(namespace)
      }),
      { numRuns: Number(process.env['LOOM_TEST_RUNS'] ?? 8) },
    )
  }, 120_000)
})
