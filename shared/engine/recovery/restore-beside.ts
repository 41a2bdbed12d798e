import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE_PART, OBJECTS_PART } from '../backup/copy-store.ts'
import { countStore } from '../backup/look-inside.ts'
import { unpack } from '../backup/pack.ts'
import { backupFault, findRestorable } from '../backup/restore.ts'
import { openRing } from '../backup/ring.ts'
import { unpackedOf } from '../backup/swap.ts'
import { INSTALL_ORG } from '../caller.ts'
import { openPglite } from '../db/pglite.ts'
import { renewInstance } from '../shapes/instance.ts'
import { writeAudit } from '../store/audit.ts'
import type { Places } from './places.ts'
import { putBeside } from './put-beside.ts'

/** Unpacks a backup into a folder and opens it, bringing its schema up to date. Answers how many memories it holds. */
async function openBackup({ backups }: Places, backupId: string, folder: string, requestId: string): Promise<number> {
  try {
    await unpack(openRing(backups).archiveOf(backupId), folder)
    await using database = await openPglite({ dataDir: join(folder, DATABASE_PART) })
    await database.transaction(async (tx) => {
      // Who follows changes by their number must not take numbers given anew for the ones they know.
      await renewInstance(tx)
      const subject = `backup:-/-/-/${backupId}`
      await writeAudit(tx, [{ op: 'backup.restore', at: new Date(), org: INSTALL_ORG, actor: 'human:recovery', requestId, subject }])
    })
    return (await countStore(database.reader)).rows
  } catch (error) {
    throw backupFault(error)
  }
}

/**
 * Puts a backup in the place of a database that cannot be opened, which is kept beside it. What was erased since the
 * backup was made goes again when the engine opens it.
 * @returns the memories in the backup, and the folder in which the damaged database lies now
 * @throws LoomError NOT_FOUND, INVALID_ARGUMENT (damaged, or of a newer Loom) or STORAGE_FULL; all is as before then
 */
export async function restoreBeside(places: Places, backupId: string, requestId: string): Promise<{ rows: number; kept: string }> {
  const { dataDir, objects } = places
  await findRestorable(openRing(places.backups), backupId)
  const folder = unpackedOf(dataDir, backupId)
  await rm(folder, { recursive: true, force: true })
  try {
    const rows = await openBackup(places, backupId, folder, requestId)
    const fresh = join(folder, DATABASE_PART)
    const kept = await putBeside({ dataDir, objects, fresh, freshObjects: join(folder, OBJECTS_PART) }, new Date())
    return { rows, kept }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Puts an empty database in the place of one that cannot be opened, which is kept beside it. Answers its folder. */
export async function startFresh({ dataDir, objects, snapshot }: Places): Promise<string> {
  const fresh = unpackedOf(dataDir, 'fresh')
  await rm(fresh, { recursive: true, force: true })
  await (await openPglite({ dataDir: fresh, snapshot })).close()
  return await putBeside({ dataDir, objects, fresh, freshObjects: null }, new Date())
}
