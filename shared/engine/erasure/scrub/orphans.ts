import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** A file of a relation: its number, then its fork and segment. */
const FILE = /^(\d+)(?:_(?:fsm|vm|init))?(?:\.\d+)?$/

/**
 * Removes the files of a PGlite folder that belong to no table or index. Postgres leaves one behind when it is killed
 * while it writes a new table or rewrites one, and never looks at it again. Answers how many there were.
 */
export async function removeOrphans({ location, reader }: Database): Promise<number> {
  const { rows: databases } = await sql<{ oid: number }>`SELECT oid::int8::int AS oid FROM pg_database
    WHERE datname = current_database()`.execute(reader)
  const folder = join(location, 'base', String(databases[0]?.oid))
  // First the names, then the catalogue: a file made in between is in neither, one that is listed is in both.
  const names = await readdir(folder)
  const { rows } = await sql<{ node: string }>`SELECT pg_relation_filenode(oid)::text AS node FROM pg_class
    WHERE pg_relation_filenode(oid) IS NOT NULL`.execute(reader)
  const known = new Set(rows.map(({ node }) => node))
  let removed = 0
  for (const name of names) {
    const [, node] = FILE.exec(name) ?? []
    if (node === undefined || known.has(node)) continue
    const path = join(folder, name)
    // An empty one is a dropped file that keeps its number taken until the next checkpoint.
    const found = await stat(path).catch(() => null)
    if (found === null || found.size === 0) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}
