import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'
import { storeError } from '../db/store-error.ts'

const PAGE_BYTES = 8192n
/** More rows than a page of this size can have. */
const MOST_ROWS = 300

/** What one page of a table gave. */
export interface Block<R> {
  readonly rows: readonly R[]
  /** Rows that are there, and that cannot be read. */
  readonly unreadable: number
}

/**
 * Reads a table page by page, past what is damaged: a page that fails is read row by row, and a row that fails costs
 * itself alone.
 * @param table with its schema, as `t` in `columns` and `where`
 */
export async function* blocksOf<R>(db: Queryable, table: string, columns: string, where: string): AsyncGenerator<Block<R>> {
  const { rows: sizes } = await sql<{ bytes: bigint }>`SELECT pg_relation_size(${table}::regclass) AS bytes`.execute(db)
  const pages = (sizes[0]?.bytes ?? 0n) / PAGE_BYTES
  const select = `SELECT ${columns} FROM ${table} t WHERE ${where}`
  const read = async (place: string): Promise<readonly R[] | null> => {
    try {
      return (await sql.raw<R>(`${select} AND ${place}`).execute(db)).rows
    } catch (error) {
      if (storeError(error) !== null) throw error
      return null
    }
  }
  // A small table would else be read whole for one page of it.
  await sql.raw('SET enable_seqscan = off').execute(db)
  // What is damaged may end the database that reads it: it comes last.
  const damaged: bigint[] = []
  for (let page = 0n; page < pages; page++) {
    const rows = await read(`t.ctid >= '(${page},0)' AND t.ctid < '(${page + 1n},0)'`)
    if (rows === null) damaged.push(page)
    else yield { rows, unreadable: 0 }
  }
  for (const page of damaged) {
    const single: R[] = []
    let unreadable = 0
    for (let row = 1; row <= MOST_ROWS; row++) {
      const found = await read(`t.ctid = '(${page},${row})'`)
      if (found === null) unreadable++
      else single.push(...found)
    }
    yield { rows: single, unreadable }
  }
}
