import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../shared/engine/db/database.ts'

/** Files below a folder whose bytes hold a text, in UTF-8 or UTF-16, as `path: text`. */
export async function filesWith(folder: string, texts: readonly string[]): Promise<string[]> {
  const wanted = texts.flatMap((text) => [
    { text, bytes: Buffer.from(text, 'utf8') },
    { text, bytes: Buffer.from(text, 'utf16le') },
  ])
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const content = await readFile(path).catch(() => Buffer.alloc(0))
    for (const { text, bytes } of wanted) if (content.includes(bytes)) found.push(`${relative(folder, path)}: ${text}`)
  }
  return found
}

/** Files of a table, its indexes and what it keeps aside, within the folder of the database. */
export async function filesOf({ reader }: Pick<Database, 'reader'>, table: string): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`SELECT pg_relation_filepath(c.oid) AS path FROM pg_class t
    JOIN pg_class c ON c.oid IN (t.oid, t.reltoastrelid) OR c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = t.oid)
    WHERE t.oid = ${`loom.${table}`}::regclass`.execute(reader)
  return rows.map((row) => row.path)
}
