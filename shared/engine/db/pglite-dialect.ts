import type { PGlite } from '@electric-sql/pglite'
import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely'
import { Mutex } from './mutex.ts'
import { PgliteStatements } from './pglite-statements.ts'

/**
 * Kysely on PGlite. Kysely's own PGlite dialect hands the one connection to everybody, so that a read beside an open
 * transaction would run inside it; here the connection is lent to one holder at a time.
 */
export class PgliteDialect implements Dialect {
  readonly #connection: PgliteConnection
  readonly #pg: PGlite

  constructor(pg: PGlite) {
    this.#pg = pg
    this.#connection = new PgliteConnection(pg)
  }
  /** Statements run so far that may have changed a row. */
  get writes(): number {
    return this.#connection.writes
  }
  createDriver(): Driver {
    return new PgliteDriver(this.#pg, this.#connection)
  }
  createQueryCompiler(): PostgresQueryCompiler {
    return new PostgresQueryCompiler()
  }
  createAdapter(): PostgresAdapter {
    return new PostgresAdapter()
  }
  // oxlint-disable-next-line no-explicit-any -- the type that Kysely's interface gives
  createIntrospector(db: Kysely<any>): PostgresIntrospector {
    return new PostgresIntrospector(db)
  }
}

class PgliteDriver implements Driver {
  readonly #pg: PGlite
  readonly #connection: PgliteConnection
  readonly #mutex = new Mutex()
  #release: (() => void) | null = null

  constructor(pg: PGlite, connection: PgliteConnection) {
    this.#pg = pg
    this.#connection = connection
  }
  async init(): Promise<void> {
    await this.#pg.waitReady
  }
  async acquireConnection(): Promise<DatabaseConnection> {
    const release = await this.#mutex.acquire()
    this.#release = release
    return this.#connection
  }
  async releaseConnection(): Promise<void> {
    const release = this.#release
    this.#release = null
    release?.()
  }
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('BEGIN'))
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('COMMIT'))
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('ROLLBACK'))
  }
  async destroy(): Promise<void> {
    if (!this.#pg.closed) await this.#pg.close()
  }
}

/** Statements that change no row, as far as their first word tells. */
const READS = /^\s*(?:select|begin|commit|rollback)\b/i

/** Every transaction sends these: PGlite's own way takes five rounds for each. */
const COMMANDS = new Set(['BEGIN', 'COMMIT', 'ROLLBACK'])

class PgliteConnection implements DatabaseConnection {
  writes = 0
  readonly #pg: PGlite
  readonly #statements: PgliteStatements

  constructor(pg: PGlite) {
    this.#pg = pg
    this.#statements = new PgliteStatements(pg)
  }
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!READS.test(query.sql)) this.writes += 1
    if (COMMANDS.has(query.sql)) {
      await this.#statements.command(query.sql)
      return { rows: [] }
    }
    // The simple protocol runs scripts of many statements.
    const result =
      query.parameters.length === 0 ? (await this.#pg.exec(query.sql)).at(-1) : await this.#statements.run(query.sql, query.parameters)
    return { rows: (result?.rows ?? []) as R[], numAffectedRows: BigInt(result?.affectedRows ?? 0) }
  }
  // oxlint-disable-next-line require-yield -- PGlite has no cursors, and nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('PGlite does not stream queries')
  }
}
