import { sql } from 'kysely'
import type { Tx } from './database.ts'

/** A row as COPY takes it: columns as Postgres text, null for none. */
export type CopiedRow = readonly (string | null)[]

/** Puts rows into a table, in the transaction. @param table schema and name; @param columns names, in the order of each row */
export type CopyRows = (tx: Tx, table: string, columns: readonly string[], rows: Iterable<CopiedRow>) => Promise<void>

/** The part of Emscripten's file system that is used. */
interface MemoryFiles {
  writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void
  unlink(path: string): void
}

/** In the memory of the database, not on disk. There is one connection, so one name does. */
const FILE = '/tmp/loom-rows'

const SPECIAL = /[\\\n\r\t]/
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const escaped = (value: string): string =>
  SPECIAL.test(value) ? value.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character) : value

/** Rows as the text format of COPY has them. */
export function copyText(rows: Iterable<CopiedRow>): string {
  let text = ''
  for (const row of rows) {
    for (let at = 0; at < row.length; at++) {
      const value = row[at] ?? null
      text += (at === 0 ? '' : '\t') + (value === null ? '\\N' : escaped(value))
    }
    text += '\n'
  }
  return text
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * COPY on PGlite, which has no connection to stream rows over: they go through a file in its memory. 10,000 rows of memory
 * take half as long as by an INSERT from JSON.
 */
export function copyOnPglite(pg: () => { readonly Module: { readonly FS: unknown } }): CopyRows {
  return async (tx, table, columns, rows) => {
    const files = pg().Module.FS as MemoryFiles
    files.writeFile(FILE, Buffer.from(copyText(rows)), { canOwn: true })
    try {
      const name = table.split('.').map(quoted).join('.')
      await sql.raw(`COPY ${name} (${columns.map(quoted).join(', ')}) FROM '${FILE}'`).execute(tx)
    } finally {
      files.unlink(FILE)
    }
  }
}
