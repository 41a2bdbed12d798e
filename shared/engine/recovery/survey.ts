import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { RecoverySurvey, RecoveryView, OpenFault } from '../../contract/recovery.ts'
import { DATABASE_PART } from '../backup/copy-store.ts'
import { countStore } from '../backup/look-inside.ts'
import { unpack } from '../backup/pack.ts'
import { openRing } from '../backup/ring.ts'
import { unpackedOf } from '../backup/swap.ts'
import { INSTALL_ORG } from '../caller.ts'
import { entriesOf } from '../db/disk-sync.ts'
import type { Queryable } from '../db/database.ts'
import { openUnmigrated } from '../db/pglite.ts'
import { blocksOf } from './blocks.ts'
import { withCopy } from './copy.ts'
import type { Places } from './places.ts'

/** What a person is shown at once: read from files, without opening one. */
export async function viewOf({ dataDir, backups }: Places, fault: OpenFault): Promise<RecoveryView> {
  return { fault, folder: dataDir, written_at: await lastWritten(dataDir), backups: await openRing(backups).list() }
}

async function lastWritten(folder: string): Promise<string | null> {
  let newest = 0
  const { files } = await entriesOf(folder).catch(() => ({ files: [] }))
  for (const file of files) newest = Math.max(newest, (await stat(join(folder, file)).catch(() => null))?.mtimeMs ?? 0)
  return newest === 0 ? null : new Date(newest).toISOString()
}

/** How many memories the newest whole backup has, and what it lacks. Opens copies of both, and neither itself. */
export async function survey(places: Places): Promise<RecoverySurvey> {
  const newest = (await openRing(places.backups).list()).find((one) => !one.damaged)
  const rows = newest ? await rowsOf(places, newest.backup_id) : null
  const of = { backup_id: newest?.backup_id ?? '', rows }
  try {
    return await withCopy(places.dataDir, async ({ reader }) => ({
      ...of,
      readable: await readableIn(reader),
      ...(newest ? await newerThan(reader, newest.created_at).catch(() => UNKNOWN) : UNKNOWN),
    }))
  } catch {
    return { ...of, readable: null, ...UNKNOWN }
  }
}

const UNKNOWN = { newer: null, on_server: null }

/** Memories that can be read: all at once where nothing is damaged, else page by page. */
async function readableIn(db: Queryable): Promise<number> {
  try {
    return (await countStore(db)).rows
  } catch {
    let readable = 0
    const where = `t.erased_by = '' AND t.status IN ('active', 'conflicted', 'duplicate')`
    for await (const { rows } of blocksOf<unknown>(db, 'loom.memory', 't.memory_id', where)) readable += rows.length
    return readable
  }
}

async function rowsOf({ dataDir, backups }: Places, backupId: string): Promise<number | null> {
  const folder = unpackedOf(dataDir, `looked-at-${randomUUID()}`)
  try {
    await unpack(openRing(backups).archiveOf(backupId), folder)
    await using store = await openUnmigrated(join(folder, DATABASE_PART))
    return (await countStore(store.reader)).rows
  } catch {
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const LIVE = sql`m.erased_by = '' AND m.status IN ('active', 'conflicted', 'duplicate')`

/** Memories written after a moment, and how many of them a team's server has: of its org, and waiting in no queue. */
async function newerThan(db: Queryable, at: string): Promise<Pick<RecoverySurvey, 'newer' | 'on_server'>> {
  const { rows } = await sql<{ newer: number; on_server: number }>`SELECT count(*)::int AS newer,
    (count(*) FILTER (WHERE m.org <> ${INSTALL_ORG} AND NOT EXISTS (
      SELECT FROM loom.sync_outbox o WHERE o.org = m.org AND o.memory_id = m.memory_id)))::int AS on_server
    FROM loom.memory m WHERE ${LIVE} AND m.updated_at > ${at}`.execute(db)
  return rows[0] ?? { newer: 0, on_server: 0 }
}
