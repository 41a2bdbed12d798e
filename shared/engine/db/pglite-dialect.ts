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

/** What becomes of a folder whose Postgres gave up. */
export interface PgliteLife {
  /** Opens it anew. */
  reopen(): Promise<PGlite>
  /** Lets go of what was opened, without a word to it. */
  abandon(): void
}

/** One that is only looked at is not opened twice. */
const NO_LIFE: PgliteLife = {
  reopen: () => Promise.reject(new Error('This database is not opened again.')),
  abandon: () => undefined,
}

/**
 * Kysely on PGlite. Kysely's own PGlite dialect hands the one connection to everybody, so that a read beside an open
 * transaction would run inside it; here the connection is lent to one holder at a time.
 */
export class PgliteDialect implements Dialect {
  readonly #connection: PgliteConnection

  constructor(pg: PGlite, life: PgliteLife = NO_LIFE) {
    this.#connection = new PgliteConnection(pg, life)
  }
  /** The database as it now is: another one after a fault that ended the first. */
  get pg(): PGlite {
    return this.#connection.pg
  }
  /** Statements run so far that may have changed a row. */
  get writes(): number {
    return this.#connection.writes
  }
  createDriver(): Driver {
    return new PgliteDriver(this.#connection)
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
  readonly #connection: PgliteConnection
  readonly #mutex = new Mutex()
  #release: (() => void) | null = null

  constructor(connection: PgliteConnection) {
    this.#connection = connection
  }
  async init(): Promise<void> {
    await this.#connection.pg.waitReady
  }
  async acquireConnection(): Promise<DatabaseConnection> {
    const release = await this.#mutex.acquire()
    try {
      await this.#connection.revive()
    } catch (error) {
      release()
      throw error
    }
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
    await this.#connection.close()
  }
}

/** Statements that change no row, as far as their first word tells. */
const READS = /^\s*(?:select|begin|commit|rollback)\b/i

/** Every transaction sends these: PGlite's own way takes five rounds for each. */
const COMMANDS = new Set(['BEGIN', 'COMMIT', 'ROLLBACK'])

/** A Postgres that gave up, as when its log finds no room: it is not to be asked again, for it would never answer. */
function isEnd(error: unknown): boolean {
  const { severity, name } = (error ?? {}) as { readonly severity?: unknown; readonly name?: unknown }
  return severity === 'PANIC' || severity === 'FATAL' || name === 'RuntimeError'
}

/** Opening anew takes a second, and fails as long as the disk is full. */
const AGAIN_AFTER_MS = 2000

class PgliteConnection implements DatabaseConnection {
  writes = 0
  readonly #life: PgliteLife
  #pg: PGlite
  #statements: PgliteStatements
  /** What ended the database; null while it lives. */
  #end: { readonly error: unknown } | null = null
  #triedAt = 0

  constructor(pg: PGlite, life: PgliteLife) {
    this.#pg = pg
    this.#life = life
    this.#statements = new PgliteStatements(pg)
  }
  get pg(): PGlite {
    return this.#pg
  }
  /**
   * Opens the folder anew where Postgres has given up: what was committed is in it, as after a crash.
   * @throws what ended it, while it cannot be opened
   */
  async revive(): Promise<void> {
    if (this.#end === null) return
    if (performance.now() - this.#triedAt < AGAIN_AFTER_MS) throw this.#end.error
    try {
      this.#pg = await this.#life.reopen()
    } catch {
      // Why it ended tells more than that it cannot be opened yet.
      throw this.#end.error
    } finally {
      this.#triedAt = performance.now()
    }
    this.#statements = new PgliteStatements(this.#pg)
    this.#end = null
  }
  async close(): Promise<void> {
    if (this.#end !== null) this.#life.abandon()
    else if (!this.#pg.closed) await this.#pg.close()
  }
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#end !== null) {
      if (query.sql === 'ROLLBACK') return { rows: [] }
      throw this.#end.error
    }
    try {
      return await this.#execute<R>(query)
    } catch (error) {
      if (isEnd(error)) this.#end = { error }
      throw error
    }
  }
  async #execute<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!READS.test(query.sql)) this.writes += 1
    if (COMMANDS.has(query.sql)) {
      await this.#statements.command(query.sql)
      return { rows: [] }
    }
    // The simple protocol runs scripts of many statements.
    const result =
      query.parameters.length === 0 ? await this.#statements.script(query.sql) : await this.#statements.run(query.sql, query.parameters)
    return { rows: result.rows as R[], numAffectedRows: BigInt(result.affectedRows) }
  }
  // oxlint-disable-next-line require-yield -- PGlite has no cursors, and nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('PGlite does not stream queries')
  }
}
