import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { NodeFS } from '@electric-sql/pglite/nodefs'
import { vector } from '@electric-sql/pglite-pgvector'
import { Kysely, sql } from 'kysely'
import { assumeStatistics } from './assumed-statistics.ts'
import { ClosingNodeFs } from './closing-fs.ts'
import { copyOnPglite } from './copy-rows.ts'
import type { Database, Tx } from './database.ts'
import { migrate } from './migrate.ts'
import { copyInto, makeWhole, removeDrafts } from './new-folder.ts'
import { PARSERS } from './parsers.ts'
import { PgliteDialect, type PgliteLife } from './pglite-dialect.ts'
import { SyncingNodeFs } from './syncing-fs.ts'
import type { Tables } from './tables.ts'

export interface PgliteOptions {
  /** Folder of the database; created when missing. */
  readonly dataDir: string
  /** A folder with an empty, migrated database (see snapshot.ts) that a new one is copied from, instead of initdb. */
  readonly snapshot?: string
  /** Called before a database of an older schema is changed, with that schema; a throw leaves it as it is. */
  readonly beforeMigrate?: (store: OpenStore, from: number) => Promise<void>
}

/** A database as far as it is copied: its folder, and a handle that holds its one connection. */
export type OpenStore = Pick<Database, 'location' | 'reader'>

export interface PgliteDatabase extends Database {
  readonly pg: PGlite
  /** How often a commit or checkpoint has reached the disk so far. */
  fsyncs(): number
}

/**
 * How every PGlite of Loom starts: with a real fsync, with log segments that are deleted, not reused (purge), and with a
 * quarter of the usual buffers: all of them are resident from the start, and the system keeps the files in memory as well.
 */
export const START_PARAMS: readonly string[] = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  '-c',
  'wal_sync_method=fsync',
  '-c',
  'wal_recycle=off',
  '-c',
  'shared_buffers=32MB',
]

/**
 * Opens (or makes) the database of a data folder and brings its schema up to date. The caller holds the folder's lock:
 * two processes on one folder corrupt it.
 */
export async function openPglite({ dataDir, snapshot, beforeMigrate }: PgliteOptions): Promise<PgliteDatabase> {
  if (!existsSync(join(dataDir, 'PG_VERSION'))) {
    await removeDrafts(dataDir)
    await makeWhole(dataDir, (draft) => (snapshot && existsSync(snapshot) ? copyInto(snapshot, draft) : makeEmpty(draft)))
  }
  return openFolder(dataDir, beforeMigrate)
}

/** Fills an empty folder with an empty database of the newest schema. Takes seconds. */
export async function makeEmpty(folder: string): Promise<void> {
  await using database = await openFolder(folder)
  // What initdb and the migrations wrote goes into the tables, so that whoever copies the folder has nothing to replay.
  await sql.raw('CHECKPOINT').execute(database.reader)
}

/** Reads what other starts would refuse: pages that do not match their checksum as they are, those without a head as empty. */
export const SALVAGE_PARAMS: readonly string[] = [
  'ignore_checksum_failure=on',
  'zero_damaged_pages=on',
  // An index that is damaged hides rows that are not.
  'ignore_system_indexes=on',
  'enable_indexscan=off',
  'enable_indexonlyscan=off',
  'enable_bitmapscan=off',
].flatMap((setting) => ['-c', setting])

/**
 * Opens a database as it is, whatever its schema: to look at a copy, not to work on it. Nothing of it is brought to disk.
 * @param params more parameters of Postgres
 */
export async function openUnmigrated(dataDir: string, params: readonly string[] = []): Promise<OpenStore & AsyncDisposable> {
  const fs = new ClosingNodeFs(dataDir)
  try {
    const { reader } = await start(fs, undefined, params)
    const close = async (): Promise<void> => {
      try {
        await reader.destroy()
      } finally {
        fs.closeFiles()
      }
    }
    return { location: dataDir, reader, [Symbol.asyncDispose]: close }
  } catch (error) {
    fs.closeFiles()
    throw error
  }
}

const create = (fs: NodeFS, params: readonly string[] = []): Promise<PGlite> =>
  PGlite.create({ fs, extensions: { vector }, startParams: [...START_PARAMS, ...params], parsers: { ...PARSERS } })

async function start(
  fs: NodeFS,
  life: PgliteLife | undefined,
  params: readonly string[] = [],
): Promise<{ dialect: PgliteDialect; reader: Kysely<Tables> }> {
  const dialect = new PgliteDialect(await create(fs, params), life)
  return { dialect, reader: new Kysely<Tables>({ dialect }).withSchema('loom') }
}

/** The files of a folder, one opening after the other. */
class Folder implements PgliteLife {
  readonly #dataDir: string
  #before = 0
  fs: SyncingNodeFs

  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.fs = new SyncingNodeFs(dataDir)
  }
  /** Calls of fsync, those of earlier openings among them. */
  get fsyncs(): number {
    return this.#before + this.fs.calls
  }
  async reopen(): Promise<PGlite> {
    this.abandon()
    this.#before = this.fsyncs
    this.fs = new SyncingNodeFs(this.#dataDir)
    try {
      const pg = await create(this.fs)
      this.fs.started()
      return pg
    } catch (error) {
      this.abandon()
      throw error
    }
  }
  abandon(): void {
    this.fs.closeFiles()
  }
}

async function openFolder(dataDir: string, beforeMigrate?: PgliteOptions['beforeMigrate']): Promise<PgliteDatabase> {
  const folder = new Folder(dataDir)
  const { dialect, reader } = await start(folder.fs, folder)
  folder.fs.started()
  try {
    await migrate(reader, (from) => beforeMigrate?.({ location: dataDir, reader }, from) ?? Promise.resolve())
    await assumeStatistics(reader)
    const before = folder.fsyncs
    // A message in the log that commits: the smallest write that must reach the disk.
    await sql.raw("SELECT pg_logical_emit_message(true, 'loom', 'durable')").execute(reader)
    return databaseOf(dataDir, dialect, reader, folder, folder.fsyncs > before)
  } catch (error) {
    await reader.destroy()
    throw error
  }
}

function databaseOf(dataDir: string, dialect: PgliteDialect, reader: Kysely<Tables>, folder: Folder, durable: boolean): PgliteDatabase {
  return {
    kind: 'pglite',
    location: dataDir,
    durable,
    reader,
    get pg() {
      return dialect.pg
    },
    fsyncs: () => folder.fsyncs,
    writes: () => dialect.writes,
    transaction: <T>(work: (tx: Tx) => Promise<T>) => reader.transaction().execute((tx) => work(tx.withSchema('loom'))),
    copyRows: copyOnPglite(() => dialect.pg),
    async bytes() {
      const { rows } = await sql<{ bytes: bigint }>`SELECT pg_database_size(current_database()) AS bytes`.execute(reader)
      return Number(rows[0]?.bytes ?? 0n)
    },
    close: () => reader.destroy(),
    [Symbol.asyncDispose]: () => reader.destroy(),
  }
}
