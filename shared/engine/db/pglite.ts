import { existsSync, fsyncSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { Kysely, sql } from 'kysely'
import type { Database, Tx } from './database.ts'
import { migrate } from './migrate.ts'
import { PARSERS } from './parsers.ts'
import { PgliteDialect } from './pglite-dialect.ts'
import type { Tables } from './tables.ts'

export interface PgliteOptions {
  /** Folder of the database; created when missing. */
  readonly dataDir: string
  /** A migrated snapshot (see snapshot.ts) that a new folder starts from, instead of initdb. */
  readonly snapshot?: string
}

export interface PgliteDatabase extends Database {
  readonly pg: PGlite
  /** How often a commit or checkpoint has reached the disk so far. */
  fsyncs(): number
}

interface NodeStream {
  readonly nfd: number
}
interface EmscriptenFs {
  readonly filesystems: { readonly NODEFS?: { readonly stream_ops: { fsync?: (stream: NodeStream) => number } } }
}

/**
 * Gives Emscripten's node file system the fsync that it lacks, and counts the calls. Without it a power cut can lose
 * or corrupt committed data, whatever Postgres believes.
 */
function giveFsync(pg: PGlite): () => number {
  const files = (pg as unknown as { Module: { FS: EmscriptenFs } }).Module.FS.filesystems.NODEFS
  let calls = 0
  if (files) {
    files.stream_ops.fsync = (stream) => {
      fsyncSync(stream.nfd)
      calls++
      return 0
    }
  }
  return () => calls
}

/** How every PGlite of Loom starts: with a real fsync, and with log segments that are deleted, not reused (purge). */
export const START_PARAMS: readonly string[] = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  '-c',
  'wal_sync_method=fsync',
  '-c',
  'wal_recycle=off',
]

/**
 * Opens (or makes) the database of a data folder and brings its schema up to date. The caller holds the folder's lock:
 * two processes on one folder corrupt it.
 */
export async function openPglite(options: PgliteOptions): Promise<PgliteDatabase> {
  const fresh = !existsSync(join(options.dataDir, 'PG_VERSION'))
  const settings: PGliteOptions = {
    dataDir: options.dataDir,
    extensions: { vector },
    startParams: [...START_PARAMS],
    parsers: { ...PARSERS },
  }
  if (fresh && options.snapshot && existsSync(options.snapshot)) {
    settings.loadDataDir = new Blob([new Uint8Array(await readFile(options.snapshot))])
  }
  const pg = await PGlite.create(settings)
  const fsyncs = giveFsync(pg)
  const reader = new Kysely<Tables>({ dialect: new PgliteDialect(pg) }).withSchema('loom')
  await migrate(reader)
  const before = fsyncs()
  // A message in the log that commits: the smallest write that must reach the disk.
  await sql.raw("SELECT pg_logical_emit_message(true, 'loom', 'durable')").execute(reader)
  return {
    kind: 'pglite',
    location: options.dataDir,
    durable: fsyncs() > before,
    reader,
    pg,
    fsyncs,
    transaction: <T>(work: (tx: Tx) => Promise<T>) => reader.transaction().execute((tx) => work(tx.withSchema('loom') as Tx)),
    async bytes() {
      const { rows } = await sql<{ bytes: bigint }>`SELECT pg_database_size(current_database()) AS bytes`.execute(reader)
      return Number(rows[0]?.bytes ?? 0n)
    },
    close: () => reader.destroy(),
    [Symbol.asyncDispose]: () => reader.destroy(),
  }
}
