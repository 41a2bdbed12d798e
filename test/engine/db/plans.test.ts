import { sql, type RawBuilder } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formerKeysQuery } from '../../../shared/engine/store/former-keys.ts'
import { scratchPglite, type ScratchPglite } from './scratch.ts'

/** Enough rows that the wrong index costs more than the right one by any reckoning. */
const ROWS = 5000

describe('the planner of a PGlite, where nothing gathers statistics', () => {
  let scratch: ScratchPglite
  beforeAll(async () => {
    scratch = await scratchPglite()
    await sql
      .raw(
        `INSERT INTO loom.memory (org, namespace, agent, user_id, session_id, memory_key, memory_id, version, value, memory_type, status,
           canonical_sha256, actor, source_class, created_at, updated_at)
         SELECT 'dev', 'local', 'a', '-', '-', 'key/' || n, 'm-' || n, n, '"text"', 'semantic', 'active', md5(n::text), 'human:local', 'user', now(), now()
         FROM generate_series(1, ${ROWS}) AS n;
         INSERT INTO loom.memory (org, namespace, agent, user_id, session_id, memory_key, memory_id, version, value, memory_type, status,
           canonical_key, actor, source_class, created_at, updated_at)
         SELECT 'dev', 'local', 'a', '-', '-', 'old/' || n, 'r-' || n, 1, 'null', 'semantic', 'redirect', 'key/' || n, 'human:local', 'user', now(), now()
         FROM generate_series(1, 3) AS n;
         INSERT INTO loom.memory_pair (org, pair_id, namespace, kind, state, row_id, peer_id, relation, similarity, reason, confidence, unsure, origin, judge_version, at)
         SELECT 'dev', 'p-' || n, 'local', 'conflict', 'open', 'm-' || n, 'm-' || (n + 1), 'contradicts', 0.9, '', 0.9, false, 'write', '1', now()
         FROM generate_series(1, ${ROWS}) AS n`,
      )
      .execute(scratch.database.reader)
  })
  afterAll(() => scratch.drop())

  /** Rows that the plan read and threw away, and the tables it read whole. */
  async function waste(query: RawBuilder<unknown>): Promise<{ thrownAway: number; whole: string[] }> {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`EXPLAIN ANALYZE ${query}`.execute(scratch.database.reader)
    const lines = rows.map((row) => row['QUERY PLAN'])
    return {
      thrownAway: lines.reduce((sum, line) => sum + Number(/Rows Removed by Filter: (\d+)/.exec(line)?.[1] ?? 0), 0),
      whole: lines.flatMap((line) => /Seq Scan on (\w+)/.exec(line)?.[1] ?? []),
    }
  }

  const lookUps: Record<string, RawBuilder<unknown>> = {
    'a head by its identity and key': sql`SELECT * FROM loom.memory WHERE org = ${'dev'} AND namespace = ${'local'} AND agent = ${'a'}
      AND user_id = ${'-'} AND session_id = ${'-'} AND memory_key = ${'key/77'} AND erased_by = ''`,
    'rows by their canonical text': sql`SELECT memory_id FROM loom.memory WHERE org = ${'dev'} AND namespace = ${'local'}
      AND canonical_sha256 = ${'x'} AND canonical_sha256 <> '' AND status = 'active' AND erased_by = ''`,
    'rows by id': sql`SELECT * FROM loom.memory WHERE org = ${'dev'} AND memory_id = any(${['m-1', 'm-2', 'm-3']}::text[]) AND erased_by = ''`,
    'rows by the keys that they had': formerKeysQuery('dev', ['local']),
    'open pairs of rows': sql`SELECT peer_id FROM loom.memory_pair WHERE org = ${'dev'} AND state = 'open' AND kind = 'conflict'
      AND row_id = any(${['m-1', 'm-9']}::text[])`,
    'open pairs that name rows': sql`SELECT row_id FROM loom.memory_pair WHERE org = ${'dev'} AND state = 'open' AND kind = 'conflict'
      AND peer_id = any(${['m-1', 'm-9']}::text[])`,
  }
  test.each(Object.entries(lookUps))('reads %s from its own index', async (_what, query) => {
    const answer = await waste(query)
    expect(answer.whole).toEqual([])
    expect(answer.thrownAway).toBeLessThan(10)
  })
})
