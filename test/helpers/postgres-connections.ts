import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { fingerprintsOf, type StatementWatch } from './statements.ts'

/** A watch of the connections to a Postgres; the caller closes it. */
export interface ConnectionWatch extends StatementWatch {
  close(): Promise<void>
}

type Query = (...args: unknown[]) => unknown

/**
 * Watches what this process asks of a Postgres, and has the server end the connection at the statement it is told to: as
 * it is sent, so that its own work and that of its transaction is lost. Only one can be watched at a time.
 */
export async function watchConnections(url: string): Promise<ConnectionWatch> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  const original = pg.Client.prototype.query as Query
  const ask = (text: string, values: unknown[] = []) => original.call(admin, text, values) as Promise<pg.QueryResult>
  const watched = new AsyncLocalStorage<true>()
  let watching = false
  let [seen, breakAt] = [0, 0]
  let broken = ''

  async function endThenAsk(client: pg.Client, args: unknown[]): Promise<unknown> {
    const { processID } = client as pg.Client & { processID: number }
    await ask('SELECT pg_terminate_backend($1)', [processID])
    await ask('SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = $1)', [processID])
    return original.apply(client, args)
  }
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
    if (!watching || watched.getStore() !== true || broken !== '' || ++seen !== breakAt) return original.apply(this, args)
    broken = String(args[0]).replaceAll(/\s+/g, ' ').slice(0, 120)
    return endThenAsk(this, args)
  } as typeof pg.Client.prototype.query

  return {
    breakAt(n) {
      watching = true
      ;[seen, breakAt, broken] = [0, n, '']
    },
    onStatement() {
      throw new Error('no statement of Postgres can be acted on')
    },
    async run(work) {
      try {
        return await watched.run(true, work)
      } finally {
        // The pool hears of the end a moment later; who asks before that is told so, and asks again.
        if (broken !== '') await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    end() {
      watching = false
      return { statement: broken, torn: [] }
    },
    fingerprints: fingerprintsOf((text) => ask(text)),
    async close() {
      pg.Client.prototype.query = original as typeof pg.Client.prototype.query
      await admin.end()
    },
  }
}
