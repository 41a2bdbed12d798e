import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { LogEntry } from './fan-out.ts'
import { BEFORE_ALL, type Offset } from './protocol.ts'

interface Row {
  readonly tx: string
  readonly op: string
  readonly body: string
  readonly bytes: number
}

const entryOf = ({ tx, op, body, bytes }: Row): LogEntry => ({ tx: BigInt(tx), op: BigInt(op), body, bytes })

/** The end of a handle's log; null when there is no such log. */
export async function lastOf(db: Queryable, org: string, handle: string): Promise<Offset | null> {
  const { rows } = await sql<{ tx: string; op: string }>`SELECT tx::text, op::text FROM loom.shape_log
    WHERE org = ${org} AND handle = ${handle} ORDER BY loom.shape_log.tx DESC, loom.shape_log.op DESC LIMIT 1`.execute(db)
  const [row] = rows
  return row ? { tx: BigInt(row.tx), op: BigInt(row.op) } : null
}

/**
 * What stands after an offset, one part of it: a part of the snapshot, or messages up to a size. The first part, after
 * -1, never reaches into what came after the snapshot.
 * @param chunkBytes bytes after which a part ends; a message is never cut.
 */
export async function readAfter(db: Queryable, org: string, handle: string, from: Offset, chunkBytes: number): Promise<LogEntry[]> {
  if (from.tx <= 0n) {
    const after = from.tx === -1n ? -1n : from.op
    const { rows } =
      await sql<Row>`SELECT tx::text, op::text, body, bytes FROM loom.shape_log WHERE org = ${org} AND handle = ${handle} AND tx = 0
      AND op = (SELECT min(op) FROM loom.shape_log WHERE org = ${org} AND handle = ${handle} AND tx = 0 AND op > ${String(after)}::int8)
      ORDER BY item`.execute(db)
    if (rows.length > 0 || from === BEFORE_ALL) return rows.map(entryOf)
  }
  const { rows } = await sql<Row>`SELECT tx::text, op::text, body, bytes FROM (
      SELECT tx, op, body, bytes, sum(bytes) OVER (ORDER BY tx, op) - bytes AS before FROM loom.shape_log
      WHERE org = ${org} AND handle = ${handle} AND tx > 0 AND (tx, op) > (${String(from.tx)}::int8, ${String(from.op)}::int8)
      ORDER BY tx, op LIMIT 20000) AS part
    WHERE before < ${chunkBytes} ORDER BY part.tx, part.op`.execute(db)
  return rows.map(entryOf)
}

/** The same limit over messages in hand. */
export function upToSize(entries: readonly LogEntry[], chunkBytes: number): readonly LogEntry[] {
  let size = 0
  for (const [at, entry] of entries.entries()) {
    if (size >= chunkBytes) return entries.slice(0, at)
    size += entry.bytes
  }
  return entries
}
