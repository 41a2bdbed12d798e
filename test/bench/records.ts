import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compactJson } from '../../shared/domain/claim/stored-form.ts'
import type { Json } from '../../shared/domain/claim/json.ts'
import { fieldsJson, searchable, type Fields } from '../../shared/domain/records/values.ts'
import { createEngine } from '../../shared/engine/create.ts'
import { openPglite } from '../../shared/engine/db/pglite.ts'
import { ensureSnapshot } from '../../shared/engine/db/snapshot.ts'
import { NO_MODELS } from '../../shared/engine/models/no-models.ts'
import { recordId } from '../../shared/engine/store/records.ts'
import { sha256 } from '../../shared/engine/store/sha256.ts'
import { TEST_CACHE } from '../helpers/model-worker.ts'
import { ENGINE, benchCaller, median, percentile } from './lib/engine.ts'

const RECORDS = Number(process.env.LOOM_BENCH_RECORDS ?? 100_000)
const AT_ONCE = 2_000
const ROUNDS = 9
const WRITES = 200

const STATUSES = ['open', 'waiting', 'closed', 'lost', 'won']
const fieldsAt = (n: number): Fields => ({
  number: { state: 'value', value: `INV-${n}` },
  status: { state: 'value', value: STATUSES[n % STATUSES.length] ?? '' },
  amount: { state: 'value', value: ((n * 7919) % 100_000) / 100 },
  region: { state: 'value', value: `eu-${(n % 9) + 1}` },
  paid: n % 11 === 0 ? { state: 'unknown' } : { state: 'value', value: n % 2 === 0 },
})

/** Rows as memory.record.write leaves them, and the same facts in a table that a person would have made for them. */
async function fill(pg: Awaited<ReturnType<typeof openPglite>>['pg'], created: Date): Promise<void> {
  await pg.exec(`CREATE TABLE bare_ticket (number text PRIMARY KEY, status text, amount numeric, region text, paid boolean)`)
  for (let at = 0; at < RECORDS; at += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, RECORDS - at) }, (_, of) => {
      const fields = fieldsAt(at + of)
      const record_key = `ticket/inv${at + of}`
      const text = fieldsJson(fields)
      const id = recordId({ org: 'dev', namespace: 'local', user_id: '-' }, 'ticket', record_key)
      return { record_key, record_id: id, fields: text, ...searchable(fields), content_sha256: sha256(text), n: at + of }
    })
    await pg.query(
      `INSERT INTO loom.memory_record_version (org, namespace, schema, user_id, record_key, record_id, version, schema_version, fields, vals, folds, states,
         changed, content_sha256, key_source, agent, session_id, actor, source_class, created_at, first_created_at)
       SELECT 'dev', 'local', 'ticket', '-', record_key, record_id, n + 1, 1, fields, vals::jsonb, folds::jsonb, states::jsonb, '{}', content_sha256,
         'identity', 'default', '-', 'human:local', 'user', $2, $2
       FROM json_to_recordset($1::json) AS r(record_key text, record_id text, n int8, fields text, vals text, folds text, states text, content_sha256 text)`,
      [JSON.stringify(rows), created],
    )
    const bare = rows.map(({ n }) =>
      Object.fromEntries(Object.entries(fieldsAt(n)).map(([name, held]) => [name, 'value' in held ? held.value : null])),
    )
    await pg.query(`INSERT INTO bare_ticket SELECT * FROM json_populate_recordset(null::bare_ticket, $1::json)`, [
      compactJson(bare as Json),
    ])
  }
  await pg.exec(`INSERT INTO loom.memory_record (org, namespace, schema, user_id, record_key, record_id, version, schema_version, fields, vals, folds, states,
      content_sha256, key_source, tombstoned, agent, session_id, run_id, actor, source_class, source_trace, source_resource_id, reason, created_at, first_created_at, erasure_seq)
    SELECT org, namespace, schema, user_id, record_key, record_id, version, schema_version, fields, vals, folds, states, content_sha256, key_source, tombstoned,
      agent, session_id, run_id, actor, source_class, source_trace, source_resource_id, reason, created_at, first_created_at, erasure_seq
    FROM loom.memory_record_version`)
}

/** Questions, each beside the SQL that a person would write for it over plain typed columns. */
const QUESTIONS = {
  sum_by_status: {
    op: 'memory.aggregate',
    ask: { function: 'sum', field: 'amount', group_by: ['status'] },
    sql: 'SELECT status, sum(amount) FROM bare_ticket GROUP BY status ORDER BY 2 DESC',
  },
  avg_filtered: {
    op: 'memory.aggregate',
    ask: { function: 'avg', field: 'amount', where: { status: { in: ['open', 'waiting'] }, amount: { gt: 100 }, paid: true } },
    sql: `SELECT avg(amount) FROM bare_ticket WHERE status IN ('open', 'waiting') AND amount > 100 AND paid`,
  },
  count_by_two: {
    op: 'memory.aggregate',
    ask: { function: 'count', group_by: ['region', 'status'] },
    sql: 'SELECT region, status, count(*) FROM bare_ticket GROUP BY region, status ORDER BY 3 DESC',
  },
  page_of_query: {
    op: 'memory.record.query',
    ask: { where: { status: 'open', amount: { gte: 500 } }, order_by: [{ by: 'amount', dir: 'desc' }], limit: 50 },
    sql: `SELECT * FROM bare_ticket WHERE status = 'open' AND amount >= 500 ORDER BY amount DESC NULLS LAST, number LIMIT 50`,
  },
} as const

async function timesOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now()
    await work()
    times.push(performance.now() - from)
  }
  return median(times)
}

/** 100,000 records asked for and summed up, beside hand-written SQL over a table of typed columns in the same database. */
export async function bench(_options: { data?: string; json: boolean }): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-bench-records-'))
  const database = await openPglite({ dataDir: join(folder, 'pg'), snapshot: await ensureSnapshot(TEST_CACHE) })
  const engine = await createEngine({ ...ENGINE, jobs: 'manual', database, models: NO_MODELS })
  const call = (op: string, input: object) => engine.run(op, { schema: 'ticket', ...input }, benchCaller())
  try {
    await call('memory_schema.register', {
      fields: [
        { name: 'number', type: 'string', identity: true, required: true },
        { name: 'status', type: 'string', enum_values: STATUSES },
        { name: 'amount', type: 'number', min_value: 0 },
        { name: 'region', type: 'string' },
        { name: 'paid', type: 'boolean' },
      ],
    })
    process.stderr.write(`filling ${RECORDS} records…\n`)
    await fill(database.pg, new Date())
    const questions: Record<string, unknown> = {}
    for (const [name, { op, ask, sql }] of Object.entries(QUESTIONS)) {
      const baseline = await timesOf(() => database.pg.query(sql))
      const ours = await timesOf(() => call(op, ask))
      questions[name] = { p50_ms: ours, hand_written_sql_p50_ms: baseline, ratio: ours / baseline }
      process.stderr.write(`${name} ${ours.toFixed(0)} ms; hand-written SQL ${baseline.toFixed(0)} ms\n`)
    }
    const writes: number[] = []
    for (let at = 0; at < WRITES; at++) {
      const from = performance.now()
      await call('memory.record.write', { fields: { number: `NEW-${at}`, status: 'open', amount: at } })
      writes.push(performance.now() - from)
    }
    return {
      records: RECORDS,
      target_aggregate_ms: 1000,
      ...questions,
      write_p50_ms: median(writes),
      write_p95_ms: percentile(writes, 0.95),
    }
  } finally {
    await engine.close()
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}
