import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Database, Tx } from './database.ts'
import { migrate } from './migrate.ts'
import { PARSERS } from './parsers.ts'
import { checkServer, startFault } from './postgres-faults.ts'
import type { Tables } from './tables.ts'

export interface PostgresOptions {
  readonly url: string
  readonly connections?: number
}

/** A server that does not answer must not hold up the start, or a call, for ever. */
const CONNECT_TIMEOUT_MS = 10_000

function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url)
    parsed.password = ''
    parsed.search = ''
    return parsed.toString()
  } catch {
    return 'postgres'
  }
}

/**
 * Opens a Postgres (15 or later, with pgvector) and brings its schema up to date.
 * @throws LoomError UNAVAILABLE when it cannot be reached or used, naming why; it never shows the password.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'loom',
    types: {
      getTypeParser: ((id: number, format?: 'text' | 'binary') => PARSERS[id] ?? pg.types.getTypeParser(id, format)) as never,
    },
  })
  // A connection that the server drops, idle or in use, must not end the process: its query fails by itself, and the
  // next one opens another.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const reader = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }).withSchema('loom')
  const durable = await prepare(reader).catch(async (error: unknown) => {
    await reader.destroy()
    throw startFault(error, options.url)
  })
  return {
    kind: 'postgres',
    location: withoutPassword(options.url),
    durable,
    reader,
    writes: () => null,
    transaction: <T>(work: (tx: Tx) => Promise<T>) => reader.transaction().execute((tx) => work(tx.withSchema('loom'))),
    copyRows: null,
    async bytes() {
      const size = await sql<{ bytes: bigint }>`SELECT pg_database_size(current_database()) AS bytes`.execute(reader)
      return Number(size.rows[0]?.bytes ?? 0n)
    },
    close: () => reader.destroy(),
    [Symbol.asyncDispose]: () => reader.destroy(),
  }
}

/** Brings the schema up to date. Answers whether commits reach the disk, as far as the server says. */
async function prepare(reader: Kysely<Tables>): Promise<boolean> {
  await checkServer(reader)
  await migrate(reader)
  const { rows } = await sql<{
    durable: boolean
  }>`SELECT current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off' AS durable`.execute(reader)
  return rows[0]?.durable ?? false
}
