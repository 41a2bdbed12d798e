import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { v7 } from 'uuid'
import type { Database, Tx } from '../db/database.ts'
import { rotateAll } from './handles.ts'

/** Where the change log was, as the data folder remembers it: outside the database, so that a database put back to an earlier day is seen. */
interface Note {
  readonly instance_id: string
  /** The last transaction that was fanned out. */
  readonly xid: string
}

const FILE = 'shape-position.json'
const WRITE_EVERY_MS = 1000

/** Remembers how far the change log was fanned out. */
export interface PositionNote {
  readonly instanceId: string
  /** Takes down a transaction; written at most once a second, and when closed. */
  take(xid: bigint): void
  close(): Promise<void>
}

/**
 * Opens the note of a data folder. A change log behind the note means that the database was restored: positions would
 * be handed out a second time for other rows, so the instance is renewed and every handle rotates.
 */
export async function openPositionNote(database: Database, folder: string, log: Pick<Logger, 'warn'>): Promise<PositionNote> {
  const file = join(folder, FILE)
  const before = await readNote(file)
  const instanceId = await database.transaction(async (tx) => {
    const known = await instanceOf(tx)
    const noted = before?.instance_id === known ? BigInt(before.xid) : 0n
    if (!(await isBehind(tx, noted))) return known ?? renewInstance(tx)
    log.warn('the database is older than what its followers have seen: it was restored, and every follower starts over')
    return renewInstance(tx)
  })
  let xid = before?.instance_id === instanceId ? BigInt(before.xid) : 0n
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()
  const write = (): Promise<void> => {
    const note: Note = { instance_id: instanceId, xid: String(xid) }
    writing = writing.then(() => writeNote(file, note)).catch((error: unknown) => log.warn({ err: error }, 'the position was not noted'))
    return writing
  }
  await write()
  return {
    instanceId,
    take(seen) {
      if (seen <= xid) return
      xid = seen
      timer ??= setTimeout(() => {
        timer = null
        void write()
      }, WRITE_EVERY_MS).unref()
    },
    async close() {
      if (timer) clearTimeout(timer)
      await write()
    },
  }
}

async function readNote(file: string): Promise<Note | null> {
  try {
    const note = JSON.parse(await readFile(file, 'utf8')) as Partial<Note>
    return typeof note.instance_id === 'string' && /^\d+$/.test(note.xid ?? '') ? (note as Note) : null
  } catch {
    return null
  }
}

async function writeNote(file: string, note: Note): Promise<void> {
  const draft = `${file}.${process.pid}.new`
  await writeFile(draft, `${JSON.stringify(note)}\n`, { mode: 0o600 })
  await rename(draft, file)
}

async function instanceOf(tx: Tx): Promise<string | null> {
  const row = await tx.selectFrom('instance').select('instance_id').orderBy('created_at', 'desc').limit(1).executeTakeFirst()
  return row?.instance_id ?? null
}

/** The next transaction's number lies at or below one that was fanned out already. */
async function isBehind(tx: Tx, noted: bigint): Promise<boolean> {
  const { rows } = await sql<{ next: string; fanned: string }>`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next,
    coalesce((SELECT max(shape_xid) FROM loom.org), '0'::xid8)::text AS fanned`.execute(tx)
  const [row] = rows
  const next = BigInt(row?.next ?? '0')
  return next <= noted || next < BigInt(row?.fanned ?? '0')
}

/** Gives the database a new identity: every handle of the old one is unknown from now on. Whoever restores one calls it. */
export async function renewInstance(tx: Tx): Promise<string> {
  const instance_id = v7()
  // Who the server is stays: its devices know it by that.
  const before = await tx.selectFrom('instance').select('server_id').where('server_id', '<>', '').executeTakeFirst()
  await tx.deleteFrom('instance').execute()
  await tx
    .insertInto('instance')
    .values({ instance_id, created_at: new Date(), server_id: before?.server_id ?? '' })
    .execute()
  await rotateAll(tx)
  return instance_id
}
