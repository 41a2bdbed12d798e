import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { pino } from 'pino'
import { v7 } from 'uuid'
import { createClient, type Client } from '../../../shared/client/create-client.ts'
import { inProcessLink } from '../../../shared/client/in-process-link.ts'
import type { CallInputOf, OpName, OutputOf } from '../../../shared/contract/registry.ts'
import { localClaims, type Caller } from '../../../shared/engine/caller.ts'
import { DEFAULT_CONFIG } from '../../../shared/engine/config.ts'
import { createEngine } from '../../../shared/engine/create.ts'
import { SCHEMA_VERSION } from '../../../shared/engine/db/migrate.ts'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { ensureSnapshot } from '../../../shared/engine/db/snapshot.ts'
import type { Embedder } from '../../../shared/engine/ports.ts'
import { TEST_CACHE } from '../../helpers/model-worker.ts'
import { openModels } from '../../helpers/models.ts'

export interface BenchEngine {
  readonly folder: string
  readonly embedder: Embedder
  /** Key and value of every fact, as one text each. */
  texts(): Promise<string[]>
  /** The same engine behind the typed client. */
  readonly client: Client
  call<N extends OpName>(op: N, input: CallInputOf<N>): Promise<OutputOf<N>>
  /** Milliseconds that the engine took to start over its open database, models apart. */
  readonly startedIn: number
  /** Runs the background passes that are due: the vectors of the keys written so far among them. */
  runDueJobs(): Promise<unknown>
  close(): Promise<void>
}

const SUBJECTS = ['payments', 'search', 'billing', 'onboarding', 'mobile', 'warehouse', 'identity', 'reporting', 'catalogue', 'support']
const THINGS = ['service', 'database', 'dashboard', 'pipeline', 'queue', 'cache', 'gateway', 'scheduler', 'exporter', 'importer']
const FACTS = [
  (n: number) => `is owned by ${NAMES[n % NAMES.length]}`,
  (n: number) => `listens on port ${4000 + (n % 5000)}`,
  (n: number) => `is restarted after ${(n % 58) + 2} minutes without a heartbeat`,
  (n: number) => `stores its backups for ${(n % 360) + 5} days`,
  (n: number) => `was moved to region eu-${(n % 9) + 1} by ${NAMES[(n * 7) % NAMES.length]}`,
  (n: number) => `pages ${NAMES[(n * 3) % NAMES.length]} when the error rate passes ${(n % 40) + 1} percent`,
  (n: number) => `keeps ${(n % 64) + 1} GB of memory free`,
  (n: number) => `publishes version ${(n % 12) + 1}.${n % 30} every ${DAYS[n % 7]}`,
]
const NAMES = ['Ada', 'Bo', 'Chen', 'Dara', 'Eli', 'Fatima', 'Goran', 'Hana', 'Ines', 'Jun', 'Kofi', 'Lena', 'Mara', 'Nils', 'Olu', 'Priya']
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

/** The claim of a number: distinct subjects, so that a store of many looks like a team's, not like one fact repeated. */
export function claimAt(n: number): { memory_key: string; value: string; tags: string[] } {
  const subject = SUBJECTS[n % SUBJECTS.length] ?? ''
  const thing = THINGS[Math.floor(n / 10) % THINGS.length] ?? ''
  const fact = FACTS[Math.floor(n / 100) % FACTS.length]
  return {
    memory_key: `${subject}/${thing}/${n}`,
    value: `The ${subject} ${thing} number ${n} ${fact?.(n * 31) ?? ''}.`,
    tags: [subject],
  }
}

/** Claims of people, software and rules by hand, of which hardly any is near another, or near the facts of the store. */
export async function strangeClaims(): Promise<{ memory_key: string; value: string }[]> {
  const claims: { memory_key: string; value: string }[] = []
  for (const name of ['dev', 'dev2', 'dev3', 'dev4', 'dev5']) {
    const lines = await readFile(join(import.meta.dirname, `../../data/verdict/${name}.jsonl`), 'utf8')
    for (const line of lines.trim().split('\n')) {
      const { id, a } = JSON.parse(line) as { id: string; a: { value: string } }
      claims.push({ memory_key: `strange/${id}`, value: a.value })
    }
  }
  return claims
}

const WRITTEN_BY_HAND = ['mined', 'topics', 'kept-out']

/** Distinct texts as people write them, a few thousand; after them those of `claimAt`. */
export async function distinctTexts(count: number): Promise<string[]> {
  const texts = new Set((await strangeClaims()).map((claim) => claim.value))
  for (const name of WRITTEN_BY_HAND) {
    const lines = await readFile(join(import.meta.dirname, `../../../shared/engine/models/training/${name}.jsonl`), 'utf8')
    for (const line of lines.trim().split('\n')) {
      const { a, b } = JSON.parse(line) as Record<'a' | 'b', string | { value: string }>
      for (const side of [a, b]) texts.add(typeof side === 'string' ? side : side.value)
    }
  }
  for (let at = 0; texts.size < count; at++) texts.add(claimAt(at).value)
  return [...texts].slice(0, count)
}

const FILLED_AT_ONCE = 200
/** More facts than these are copies in SQL, each with a number, key and id of its own and the vectors of its first. */
const WRITTEN = 10_000

/** Fills a database folder through the engine. Without the relation model: what is measured comes after. */
async function fill(dataDir: string, facts: number): Promise<void> {
  const models = await openModels()
  const database = await openPglite({ dataDir, snapshot: await ensureSnapshot(TEST_CACHE) })
  const engine = await createEngine({ ...ENGINE, database, models: { ...models, embedder: models.embedder, relation: null } })
  process.stderr.write(`filling ${facts} facts, once…\n`)
  for (let at = 0; at < facts; at += FILLED_AT_ONCE) {
    const entries = Array.from({ length: Math.min(FILLED_AT_ONCE, facts - at) }, (_, of) => claimAt(at + of))
    await engine.run('memory.bulk_set', { entries }, benchCaller())
  }
  // The vectors of the keys.
  await engine.runDueJobs()
  await engine.close()
  await database.close()
  await models.close()
}

const COPIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  memory: {
    memory_id: `memory_id || '-' || c`,
    memory_key: `memory_key || '/' || c`,
    value: `replace(value, 'number ', 'number ' || c || '-')`,
    excerpt: `replace(excerpt, 'number ', 'number ' || c || '-')`,
    canonical_sha256: `md5(canonical_sha256 || c)`,
  },
  memory_version: { memory_id: `memory_id || '-' || c`, memory_key: `memory_key || '/' || c` },
  memory_embedding: { memory_id: `memory_id || '-' || c` },
}

/** Puts copies of all facts into a database folder, with keys and ids of their own, until there are `times` as many. */
export async function multiply(dataDir: string, times: number): Promise<void> {
  await using database = await openPglite({ dataDir })
  for (const [table, changed] of Object.entries(COPIES)) {
    const { rows } = await database.pg.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_schema = 'loom' AND table_name = '${table}'`,
    )
    const columns = rows.map((row) => row.column_name)
    const values = columns.map((column) => changed[column] ?? column)
    for (let copy = 1; copy < times; copy++)
      await database.pg.exec(
        `INSERT INTO loom.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM loom.${table}, (SELECT ${copy} AS c) AS copy
          WHERE memory_id NOT LIKE '%-%-%-%-%-%'`,
      )
  }
}

/** A database folder with this many facts, copied from one that is made once for each size and schema. */
async function filledCopy(facts: number, into: string): Promise<void> {
  const kept = join(TEST_CACHE, `bench-${facts}-schema-${SCHEMA_VERSION}`)
  if (!existsSync(kept)) {
    const making = `${kept}.${process.pid}`
    if (facts <= WRITTEN) await fill(making, facts)
    else {
      await filledCopy(WRITTEN, making)
      await multiply(making, facts / WRITTEN)
    }
    await rename(making, kept)
  }
  await cp(kept, into, { recursive: true })
}

/** Puts this many facts into a desktop's data folder. Answers the folder of its database. */
export async function fillHome(home: string, facts: number): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 })
  const dataDir = join(home, 'db')
  await filledCopy(facts, dataDir)
  return dataDir
}

export const ENGINE = { host: 'desktop', mode: 'single', config: DEFAULT_CONFIG, clock: Date.now, log: pino({ level: 'silent' }) } as const

export const benchCaller = (): Caller => ({
  claims: localClaims('human', 'local'),
  transport: 'inproc',
  fills: {},
  local: true,
  requestId: v7(),
})

/** An engine with the real models and this many facts in namespace `local`; background passes rest, as they mostly do. */
export async function openBenchEngine(facts: number): Promise<BenchEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-bench-'))
  await filledCopy(facts, join(folder, 'db'))
  return openEngineIn(folder)
}

/** The same with nothing in it. `embeddingModel`: the folder of another than ships. */
export async function openEmptyEngine(embeddingModel?: string): Promise<BenchEngine> {
  return openEngineIn(await mkdtemp(join(tmpdir(), 'loom-bench-')), await ensureSnapshot(TEST_CACHE), embeddingModel)
}

async function openEngineIn(folder: string, snapshot?: string, embeddingModel?: string): Promise<BenchEngine> {
  const models = await openModels(embeddingModel === undefined ? {} : { embeddingModel })
  const { embedder } = models
  if (!embedder) throw new Error('the benchmark needs the embedding model')
  const database = await openPglite({ dataDir: join(folder, 'db'), ...(snapshot && { snapshot }) })
  const startedAt = performance.now()
  const engine = await createEngine({ ...ENGINE, database, models, jobs: 'manual' })
  const startedIn = performance.now() - startedAt
  return {
    folder,
    startedIn,
    embedder,
    client: createClient(inProcessLink(engine, benchCaller())),
    async texts() {
      const { rows } = await database.pg.query<{ text: string }>("SELECT memory_key || ' ' || value AS text FROM loom.memory")
      return rows.map(({ text }) => text)
    },
    call: (async (op: string, input: unknown) => engine.run(op, input, benchCaller())) as BenchEngine['call'],
    runDueJobs: () => engine.runDueJobs(),
    async close() {
      await engine.close()
      await database.close()
      await models.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** One table, one durable insert a call: what a write costs without Loom. */
export async function openBareStore(): Promise<{
  insert(claim: { memory_key: string; value: string }): Promise<void>
  close(): Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-bare-'))
  const database = await openPglite({ dataDir: join(folder, 'pg'), snapshot: await ensureSnapshot(TEST_CACHE) })
  const pg: PGlite = database.pg
  await pg.exec('CREATE TABLE bare (key text PRIMARY KEY, value text, at timestamptz)')
  return {
    async insert(claim) {
      await pg.query('INSERT INTO bare VALUES ($1, $2, now())', [claim.memory_key, claim.value])
    },
    async close() {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const median = (times: readonly number[]): number => percentile(times, 0.5)
