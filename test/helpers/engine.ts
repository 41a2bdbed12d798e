import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { v7 } from 'uuid'
import type { CallInputOf, OpName, OutputOf } from '../../shared/contract/registry.ts'
import type { Claims } from '../../shared/contract/ops/engine/info.ts'
import { localClaims, type Caller } from '../../shared/engine/caller.ts'
import { DEFAULT_CONFIG, type EngineConfig } from '../../shared/engine/config.ts'
import { createEngine, type LocalEngine } from '../../shared/engine/create.ts'
import type { Database, Reader } from '../../shared/engine/db/database.ts'
import { openPglite } from '../../shared/engine/db/pglite.ts'
import { openPostgres } from '../../shared/engine/db/postgres.ts'
import type { ErasureOptions } from '../../shared/engine/erasure/erasures.ts'
import { ensureSnapshot } from '../../shared/engine/db/snapshot.ts'
import { createDocumentReader } from '../../shared/engine/documents/reader.ts'
import { fileObjects, type ObjectStore } from '../../shared/engine/objects/object-store.ts'
import type { Models } from '../../shared/engine/ports.ts'
import type { SyncOptions } from '../../shared/engine/sync/desktop/port.ts'
import type { WebhookOptions } from '../../shared/engine/webhooks/webhooks.ts'
import { bundledModule, TEST_CACHE } from './model-worker.ts'
import { testModels } from './models.ts'
import { scratchDatabase } from './postgres.ts'

export interface TestEngineOptions {
  readonly mode?: 'single' | 'multi'
  readonly host?: 'desktop' | 'server'
  readonly config?: Partial<EngineConfig>
  /** Models other than the real ones, to show what happens without. */
  readonly models?: Models
  /** Milliseconds since 1970; starts at the real time and moves only when told. */
  readonly clock?: () => number
  /** Address of a Postgres database, instead of a PGlite in a folder. */
  readonly postgresUrl?: string
  /** Background passes by the clock; left out, they run when a test says `engine.runDueJobs()`. */
  readonly jobs?: 'timed' | 'manual'
  /** How a desktop reaches a team server. */
  readonly sync?: SyncOptions
  /** Left out: silent, or as LOOM_TEST_LOG says. */
  readonly log?: Logger
  /** How a server reaches webhooks. */
  readonly webhooks?: WebhookOptions
  /** Left out: files beside the database. */
  readonly objects?: ObjectStore
  /** The ledger of erasures outside the database, and what else they reach. */
  readonly erasure?: ErasureOptions
  /** What the engine reads through, in place of the database's own handle: to have reads fail. */
  readonly reading?: (reader: Reader) => Reader
  /** Folder of the database, to open it again; the caller removes it. */
  readonly folder?: string
}

export interface TestEngine {
  readonly engine: LocalEngine
  readonly database: Database
  /** Runs an operation as the person of the install, or with the claims given. */
  call<N extends OpName>(op: N, input: CallInputOf<N>, caller?: Partial<Caller>): Promise<OutputOf<N>>
  close(): Promise<void>
}

/** A caller in process: the local person, unless claims say otherwise. */
export function testCaller(claims: Claims = localClaims('human', 'local'), rest: Partial<Caller> = {}): Caller {
  return { claims, transport: 'inproc', fills: {}, local: true, requestId: v7(), ...rest }
}

export { NO_MODELS } from '../../shared/engine/models/no-models.ts'

/** A real engine on a new PGlite folder (or an empty Postgres), with the real models. */
export async function openTestEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'loom-test-')))
  // test/engine/db/ops-*.pg.test.ts run the tests of the operations once more, on Postgres.
  const scratch = process.env['LOOM_TEST_DATABASE'] === 'postgres' && !options.postgresUrl ? await scratchDatabase() : null
  const postgresUrl = options.postgresUrl ?? scratch?.url
  const database = postgresUrl
    ? await openPostgres({ url: postgresUrl })
    : await openPglite({ dataDir: join(folder, 'pg'), snapshot: await ensureSnapshot(TEST_CACHE) })
  const engine = await createEngine({
    host: options.host ?? 'desktop',
    mode: options.mode ?? 'single',
    config: { ...DEFAULT_CONFIG, checkOutputs: true, ...options.config },
    database: options.reading ? { ...database, reader: options.reading(database.reader) } : database,
    models: options.models ?? (await testModels()),
    clock: options.clock ?? Date.now,
    jobs: options.jobs ?? 'manual',
    objects: options.objects ?? fileObjects(join(folder, 'objects')),
    documents: createDocumentReader({ workerUrl: () => bundledModule('shared/engine/documents/worker.ts') }),
    ...(options.sync && { sync: options.sync }),
    ...(options.webhooks && { webhooks: options.webhooks }),
    ...(options.erasure && { erasure: options.erasure }),
    log: options.log ?? pino({ level: process.env['LOOM_TEST_LOG'] ?? 'silent' }, pino.destination(2)),
  })
  return {
    engine,
    database,
    call: (async (op: string, input: unknown, caller: Partial<Caller> = {}) =>
      engine.run(op, input, testCaller(caller.claims, caller))) as TestEngine['call'],
    async close() {
      await engine.close()
      await database.close()
      await scratch?.drop()
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}
