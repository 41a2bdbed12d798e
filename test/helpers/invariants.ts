import { sql } from 'kysely'
import { pino } from 'pino'
import { expect } from 'vitest'
import { DEFAULT_CONFIG } from '../../shared/engine/config.ts'
import { createEngine } from '../../shared/engine/create.ts'
import type { Database } from '../../shared/engine/db/database.ts'
import { testCaller, type TestEngine } from './engine.ts'
import { testModels } from './models.ts'

/** What holds of a store whatever was called, and however it ended. */

export interface Counts {
  readonly rows: number
  readonly versions: number
  readonly audit: number
}

export async function countsOf(database: Database, namespace: string): Promise<Counts> {
  const { rows } = await sql<Counts>`SELECT
    (SELECT count(*)::int FROM loom.memory WHERE namespace = ${namespace}) AS rows,
    (SELECT count(*)::int FROM loom.memory_version WHERE namespace = ${namespace}) AS versions,
    (SELECT count(*)::int FROM loom.audit WHERE namespace = ${namespace}) AS audit`.execute(database.reader)
  if (!rows[0]) throw new Error('not counted')
  return rows[0]
}

/** Rows of a namespace that break a promise of the store; none may. */
export async function brokenPromises(database: Database, namespace: string): Promise<unknown[]> {
  const { rows } = await sql`
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
    UNION ALL SELECT 'version that no audit row tells of', v.memory_key FROM loom.memory_version v WHERE v.namespace = ${namespace}
      AND NOT EXISTS (SELECT 1 FROM loom.audit a WHERE a.org = v.org AND a.memory_id = v.memory_id AND a.version = v.version
        -- A move is told once, at its source.
        OR a.org = v.org AND a.to_key = v.memory_key AND a.op = v.op)
    UNION ALL SELECT 'audit row of a version that is not there', a.memory_key FROM loom.audit a WHERE a.namespace = ${namespace} AND a.version IS NOT NULL
      -- Versions of records and schemas are told too, without a memory_id.
      AND a.memory_id <> ''
      AND NOT EXISTS (SELECT 1 FROM loom.memory_version v WHERE v.org = a.org AND v.memory_id = a.memory_id AND v.version = a.version)
    UNION ALL SELECT 'vector without a row', e.memory_id FROM loom.memory_embedding e
      WHERE NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = e.org AND m.memory_id = e.memory_id AND m.value IS NOT NULL)
    UNION ALL SELECT 'embedded, and high or of a type that is not', m.memory_key FROM loom.memory m
      JOIN loom.memory_embedding e ON e.org = m.org AND e.memory_id = m.memory_id
      WHERE m.namespace = ${namespace} AND (m.sensitivity = 'high' OR m.memory_type IN ('episodic', 'profile'))
    UNION ALL SELECT 'live and found, and not embedded', m.memory_key FROM loom.memory m WHERE m.namespace = ${namespace}
      AND m.status IN ('active', 'conflicted', 'duplicate') AND m.memory_type = 'semantic' AND m.sensitivity <> 'high' AND m.value <> '"[anonymized]"'
      AND NOT EXISTS (SELECT 1 FROM loom.memory_embedding e WHERE e.org = m.org AND e.memory_id = m.memory_id AND e.axis = 'value')
    UNION ALL SELECT 'chunks counted wrong', m.memory_key FROM loom.memory m WHERE m.namespace = ${namespace}
      AND m.chunks <> (SELECT count(*) FROM loom.memory_chunk c WHERE c.org = m.org AND c.memory_id = m.memory_id)
    UNION ALL SELECT 'link to itself or to nothing', l.from_id FROM loom.memory_link l WHERE l.namespace = ${namespace} AND (l.from_id = l.to_id
      OR NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.memory_id = l.from_id) OR NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.memory_id = l.to_id))
    UNION ALL SELECT 'pair of a row that is not there', p.pair_id FROM loom.memory_pair p WHERE p.namespace = ${namespace}
      AND (SELECT count(*) FROM loom.memory m WHERE m.org = p.org AND m.memory_id IN (p.row_id, p.peer_id)) <> 2
    UNION ALL SELECT 'open pair of a row that is gone', p.pair_id FROM loom.memory_pair p JOIN loom.memory m ON m.org = p.org AND m.memory_id = p.row_id
      WHERE p.namespace = ${namespace} AND p.state = 'open' AND m.status IN ('tombstoned', 'rejected', 'redirect')
    UNION ALL SELECT 'redirect to no key of its identity', m.memory_key FROM loom.memory m WHERE m.namespace = ${namespace} AND m.status = 'redirect'
      AND NOT EXISTS (SELECT 1 FROM loom.memory t WHERE t.namespace = m.namespace AND t.agent = m.agent AND t.memory_key = m.canonical_key)`.execute(
    database.reader,
  )
  return rows
}

/** What the background passes have not put right although they have run. */
export async function leftUndone(database: Database, namespace: string, now: number): Promise<unknown[]> {
  const at = new Date(now)
  const live = sql`status IN ('active', 'conflicted', 'duplicate') AND NOT coalesce(valid_to <= ${at} OR (expires_at <= ${at} AND on_expire <> 'demote'), false)`
  const { rows } = await sql`
    WITH live AS (SELECT * FROM loom.memory WHERE namespace = ${namespace} AND ${live})
    SELECT 'flagged, and nothing open stands against it' AS what, m.memory_key AS which FROM live m WHERE m.status = 'conflicted' AND NOT EXISTS (
      SELECT 1 FROM loom.memory_pair p JOIN live a ON a.memory_id = p.row_id JOIN live b ON b.memory_id = p.peer_id
      WHERE p.org = m.org AND p.state = 'open' AND m.memory_id IN (p.row_id, p.peer_id))
    UNION ALL SELECT 'duplicate of a row that is gone', m.memory_key FROM live m WHERE m.status = 'duplicate' AND NOT EXISTS (
      SELECT 1 FROM loom.memory c WHERE c.org = m.org AND c.memory_id = m.duplicate_of AND c.status NOT IN ('tombstoned', 'rejected', 'superseded'))
    UNION ALL SELECT 'expired, and not swept', m.memory_key FROM loom.memory m WHERE m.namespace = ${namespace} AND m.expires_at <= ${at}
      AND m.status IN ('active', 'conflicted', 'duplicate') AND m.lock_mode = ''`.execute(database.reader)
  return rows
}

const WIDE = {
  include_superseded: true,
  include_duplicates: true,
  include_conflicted: true,
  include_top_n_unmatched: 50,
  top_k: 50,
  explain: true,
  auto_touch: false,
} as const

/** Rows that a search of everything finds in this process. */
export async function foundIds(loom: TestEngine, namespace: string): Promise<string[]> {
  const { results } = await loom.call('memory.search', { namespace, query: 'production deploys', ...WIDE })
  return results.map((hit) => `${hit.memory_id} ${hit.status}`).sort()
}

/** Rows of the store that it should find. */
export async function findableIds(database: Database, namespace: string, now: number): Promise<string[]> {
  const at = new Date(now)
  const { rows } = await sql<{ memory_id: string; status: string }>`SELECT memory_id, status FROM loom.memory
    WHERE namespace = ${namespace} AND status IN ('active', 'conflicted', 'duplicate', 'superseded') AND memory_type = 'semantic'
      AND sensitivity <> 'high' AND value IS NOT NULL AND value <> '"[anonymized]"'
      AND (expires_at IS NULL OR expires_at > ${at} OR on_expire = 'demote') AND (valid_to IS NULL OR valid_to > ${at})
      -- Another row of its group stands for it.
      AND NOT EXISTS (SELECT 1 FROM loom.memory_lexical l JOIN loom.memory_lexical c ON c.org = l.org AND c.memory_id = l.collapse_group
        JOIN loom.memory h ON h.org = c.org AND h.memory_id = c.memory_id AND h.version = c.version
        WHERE l.org = memory.org AND l.memory_id = memory.memory_id AND l.version = memory.version AND l.collapse_group <> l.memory_id
          AND c.collapse_group = c.memory_id AND h.status IN ('active', 'conflicted', 'duplicate', 'superseded'))`.execute(database.reader)
  return rows.map((row) => `${row.memory_id} ${row.status}`).sort()
}

const SEARCHES = [{}, { tags: ['x'] }, { tags: ['z'] }, { min_confidence: 0.6 }, { agent: 'two' }, { search_mode: 'lexical' }]

type Search = (input: Record<string, unknown>) => Promise<{ results: readonly { memory_id: string; rank_score: number }[] }>

/** Scores by row, for each search. */
async function scoresOf(search: Search, namespace: string): Promise<Map<string, number>[]> {
  const answers = []
  for (const filter of SEARCHES) {
    const { results } = await search({ namespace, query: 'when do production deploys run, and is the kettle broken', ...WIDE, ...filter })
    answers.push(new Map(results.map((hit) => [hit.memory_id, hit.rank_score])))
  }
  return answers
}

/**
 * This engine's index followed every commit; that of a new engine is filled from the store. They answer alike: near and
 * not equal, since the store keeps vectors in half the digits.
 */
export async function compareIndexes(loom: TestEngine, namespace: string, now: number): Promise<void> {
  const options = { host: 'desktop', mode: 'single', config: DEFAULT_CONFIG, log: pino({ level: 'silent' }), jobs: 'manual' } as const
  const fresh = await createEngine({ ...options, database: loom.database, models: await testModels(), clock: () => now })
  const hot = await scoresOf((input) => loom.call('memory.search', input as never), namespace)
  const filled = await scoresOf((input) => fresh.run('memory.search', input, testCaller()) as never, namespace)
  await fresh.close()
  for (const [at, scores] of hot.entries()) {
    expect([...scores.keys()].sort()).toEqual([...(filled[at]?.keys() ?? [])].sort())
    for (const [id, score] of scores) expect(Math.abs(score - (filled[at]?.get(id) ?? 0))).toBeLessThan(0.02)
  }
}
