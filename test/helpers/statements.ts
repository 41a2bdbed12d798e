import { AsyncLocalStorage } from 'node:async_hooks'
import type { PGlite } from '@electric-sql/pglite'
import { type BackendMessage, DatabaseError } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { serialize } from 'pg-protocol/dist/serializer.js'

/** The moment at which a statement breaks: before it reached the store, or when only its answer is lost. */
export type Moment = 'before' | 'after'

/** What a broken run left. */
export interface Broken {
  /** The statement that was broken; '' when the run ended before it came to it. */
  readonly statement: string
  /** Tables that differ after the rollback from what they were when the transaction began: none may. */
  readonly torn: readonly string[]
}

export interface StatementWatch {
  /** Breaks the n-th statement of the next `run`, counted from 1; a ROLLBACK is not counted, and never broken. */
  breakAt(n: number, moment: Moment): void
  /** Acts before or after each statement of the next `run` that `matches`. */
  onStatement(matches: (text: string) => boolean, moment: Moment, act: () => Promise<void> | void): void
  /** Runs what is watched: what an engine does beside it, such as writing counters of reads, is let through. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Ends the watch begun last. */
  end(): Broken
  /** A fingerprint of each table, leases and counters of reads apart. */
  fingerprints(): Promise<Map<string, string>>
}

/** Tables of which only a part is looked at: counters of reads are written whenever there is time. */
const LOOKED_AT: Readonly<Record<string, string>> = {
  // The digits of a vector take longer to write out than all else together.
  memory_embedding: '(SELECT org, memory_id, axis, model, md5(halfvec_send(vec)) FROM loom.memory_embedding)',
  memory_usage: `(SELECT org, memory_id, reinforcement_count, acted_count, harm_count, used_count, negative_streak FROM loom.memory_usage
    WHERE reinforcement_count + acted_count + harm_count + used_count + negative_streak > 0)`,
}

interface Named {
  readonly name: string
  readonly print?: string
}

/** A look at every table of Loom through a connection of one's own. */
export function fingerprintsOf(query: (text: string) => Promise<{ rows: Named[] }>): () => Promise<Map<string, string>> {
  let tables: readonly string[] = []
  return async () => {
    if (tables.length === 0) {
      const found = await query(
        `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'loom' AND table_name <> 'worker_lease' ORDER BY 1`,
      )
      tables = found.rows.map((row) => row.name)
    }
    const each = tables.map(
      (name) =>
        `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) AS print FROM ${LOOKED_AT[name] ?? `loom.${name}`} t`,
    )
    const { rows } = await query(each.join(' UNION ALL '))
    return new Map(rows.map((row) => [row.name, row.print ?? '']))
  }
}

const PARSE = 0x50
const BIND = 0x42
const QUERY = 0x51

/** Name and text of a parse message, or the name of the statement that a bind message runs. */
function namesIn(bytes: Uint8Array): { parsed: [string, string] | null; bound: string | null } {
  const texts = Buffer.from(bytes).toString('utf8', 5).split('\0')
  if (bytes[0] === PARSE) return { parsed: [texts[0] ?? '', texts[1] ?? ''], bound: null }
  return { parsed: null, bound: bytes[0] === BIND ? (texts[1] ?? '') : null }
}

/** Watches every statement that reaches a PGlite, on whichever of its roads, and breaks the one it is told to. */
export function watchStatements(pg: PGlite): StatementWatch {
  const original = { exec: pg.exec.bind(pg), stream: pg.execProtocolRawStream.bind(pg) }
  const watched = new AsyncLocalStorage<true>()
  const prepared = new Map<string, string>()
  let watching = false
  let [seen, breakAt] = [0, 0]
  let moment: Moment = 'before'
  let broken = ''
  let torn: string[] = []
  let begun: Map<string, string> | null = null
  let trap: { matches: (text: string) => boolean; moment: Moment; act: () => Promise<void> | void } | null = null

  /** Asks while a statement is held back: the lock of PGlite is ours already. */
  async function ask(text: string): Promise<{ rows: Named[] }> {
    const rows: Named[] = []
    const parser = new Parser()
    const read = (message: BackendMessage): void => {
      if (message instanceof DatabaseError) throw message
      if (message.name !== 'dataRow') return
      const [name, print] = (message as unknown as { fields: string[] }).fields
      rows.push({ name: name ?? '', ...(print !== undefined && { print }) })
    }
    const onRawData = (chunk: Uint8Array): void => parser.parse(Buffer.from(chunk), read)
    await original.stream(serialize.query(text), { syncToFs: false, onRawData })
    return { rows }
  }
  const fingerprints = fingerprintsOf(ask)

  async function through<T>(text: string, run: () => Promise<T>): Promise<T> {
    if (!watching || watched.getStore() !== true) return run()
    const verb = text.trim().slice(0, 8).toUpperCase()
    if (verb === 'ROLLBACK') {
      const done = await run()
      if (broken !== '' && begun !== null) {
        const now = await fingerprints()
        torn = [...now].filter(([name, print]) => begun?.get(name) !== print).map(([name]) => name)
      }
      begun = null
      return done
    }
    const isTrapped = trap?.matches(text) === true
    if (isTrapped && trap?.moment === 'before') await trap.act()
    const isBroken = ++seen === breakAt
    if (isBroken) broken = text.replaceAll(/\s+/g, ' ').slice(0, 120)
    if (isBroken && moment === 'before') throw new Error('the store went away')
    if (verb === 'BEGIN' && broken === '') begun = breakAt > 0 ? await fingerprints() : null
    const done = await run()
    if (verb === 'COMMIT') begun = null
    if (isTrapped && trap?.moment === 'after') await trap.act()
    if (isBroken) throw new Error('the answer of the store was lost')
    return done
  }

  const begin = (): void => {
    watching = true
    ;[seen, breakAt, broken, torn, begun, trap] = [0, 0, '', [], null, null]
  }
  Object.assign(pg, { exec: (text: string, ...rest: []) => through(text, () => original.exec(text, ...rest)) })
  for (const road of ['execProtocol', 'execProtocolRaw', 'execProtocolRawStream'] as const) {
    const send = pg[road].bind(pg) as (bytes: Uint8Array, ...rest: unknown[]) => Promise<unknown>
    pg[road] = ((bytes: Uint8Array, ...rest: unknown[]) => {
      const { parsed, bound } = namesIn(bytes)
      if (parsed) prepared.set(...parsed)
      const text = bound === null ? undefined : prepared.get(bound)
      // PGlite's own queries go by the other roads, under those above.
      const command =
        road === 'execProtocolRawStream' && bytes[0] === QUERY ? Buffer.from(bytes).toString('utf8', 5).split('\0')[0] : undefined
      const statement = bound ? (text ?? bound) : command
      return statement ? through(statement, () => send(bytes, ...rest)) : send(bytes, ...rest)
    }) as never
  }
  return {
    breakAt(n, at) {
      begin()
      ;[breakAt, moment] = [n, at]
    },
    onStatement(matches, at, act) {
      begin()
      trap = { matches, moment: at, act }
    },
    run: (work) => watched.run(true, work),
    end() {
      watching = false
      return { statement: broken, torn }
    },
    fingerprints: () => pg.runExclusive(fingerprints),
  }
}
