import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Database, Tx } from './database.ts'
import { migrate } from './migrate.ts'
import { PARSERS } from './parsers.ts'
import type { Tables } from './tables.ts'

export interface PostgresOptions {
  readonly url: string
  readonly connections?: number
}

function withoutPassword(url: string): string {
  try {
    const parsed = new URL(url)
    parsed.password = ''
    return parsed.toString()
  } catch {
    return 'postgres'
  }
}

/**
 * Opens a Postgres (15 or later, with pgvector) and brings its schema up to date.
 * @throws when it cannot be reached, or lacks the vector extension.
 */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections ?? 10,
    types: { getTypeParser: ((id: number, format?: 'text' | 'binary') => PARSERS[id] ?? pg.types.getTypeParser(id, format as 'text')) as never },
  })
  // An idle connection that the server drops must not end the process; the next query opens another.
  pool.on('error', () => {})
  const reader = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }).withSchema('loom')
  await migrate(reader)
  const { rows } = await sql<{ on: string }>`SELECT current_setting('fsync') AS on`.execute(reader)
  return {
    kind: 'postgres',
    location: withoutPassword(options.url),
    durable: rows[0]?.on === 'on',
    reader,
    transaction: <T>(work: (tx: Tx) => Promise<T>) => reader.transaction().execute((tx) => work(tx.withSchema('loom') as Tx)),
    async bytes() {
      const size = await sql<{ bytes: bigint }>`SELECT pg_database_size(current_database()) AS bytes`.execute(reader)
      return Number(size.rows[0]?.bytes ?? 0n)
    },
    close: () => reader.destroy(),
    [Symbol.asyncDispose]: () => reader.destroy(),
  }
}
