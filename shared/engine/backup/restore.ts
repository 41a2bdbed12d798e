import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backup, BackupKind } from '../../contract/backup.ts'
import { LoomError } from '../../contract/errors.ts'
import type { Database } from '../db/database.ts'
import { SCHEMA_VERSION } from '../db/migrate.ts'
import { openPglite, type OpenStore } from '../db/pglite.ts'
import { storeError } from '../db/store-error.ts'
import { renewInstance } from '../shapes/instance.ts'
import { writeAudit } from '../store/audit.ts'
import { DATABASE_PART, OBJECTS_PART } from './copy-store.ts'
import { countStore } from './look-inside.ts'
import { unpack } from './pack.ts'
import type { RestoreCall, Restored } from './port.ts'
import type { Ring } from './ring.ts'
import { addObjects, dropOld, putInPlace, takeBack, unpackedOf } from './swap.ts'

/** The host of a store, as far as its backups need it. */
export interface StoreHost {
  /** The store in use. */
  store(): OpenStore
  /** Milliseconds since 1970 at which the store was made. */
  madeAt(): number
  /**
   * Refuses calls, closes engine and store, runs `swap`, and opens them again. Where that fails it runs `undo`, opens
   * what was there before, and throws. Answers the store that is in use now.
   */
  replace?(swap: () => Promise<void>, undo: () => Promise<void>): Promise<Database>
}

interface RestoreOptions {
  readonly ring: Ring
  /** Org in whose audit log a restore stands. */
  readonly org: string
  readonly objects: string | null
  readonly store: StoreHost
  readonly make: (kind: BackupKind, label: string) => Promise<Backup>
}

export interface Restore {
  run(backupId: string, call: RestoreCall): Promise<Restored>
  /** What the same call did before: a client that lost the answer asks again under the same key. */
  repeated(backupId: string, call: RestoreCall): Restored | null
}

const refuse = (message: string, cause?: unknown): LoomError =>
  new LoomError('INVALID_ARGUMENT', message, { field: 'backup_id' }, cause === undefined ? {} : { cause })

/**
 * A backup that this Loom can put in the place of a database.
 * @throws LoomError NOT_FOUND or INVALID_ARGUMENT
 */
export async function findRestorable(ring: Ring, backupId: string): Promise<Backup> {
  const found = (await ring.list()).find((one) => one.backup_id === backupId)
  if (!found) throw new LoomError('NOT_FOUND', `There is no backup ${backupId}. backup.list names them.`, { field: 'backup_id' })
  if (found.damaged) throw refuse('This backup is damaged: its file is not the one that was written. Choose another.')
  if (found.schema_version > SCHEMA_VERSION)
    throw refuse(`This backup is of a newer Loom (${found.app_version}). Update Loom, then restore it.`)
  return found
}

/**
 * Makes of a failure to open an unpacked backup what a person is told.
 * @returns LoomError STORAGE_FULL or UNAVAILABLE for the disk around it, else INVALID_ARGUMENT
 */
export function backupFault(error: unknown): LoomError {
  return storeError(error) ?? refuse('This backup cannot be opened: it is damaged. Choose another.', error)
}

export function createRestore({ ring, org, objects, store, make }: RestoreOptions): Restore {
  let last: { readonly key: string; readonly backupId: string; readonly done: Restored } | null = null

  /** Unpacks a backup beside the database and opens it, bringing its schema up to date. Answers the fences that it has. */
  async function unpacked(backup: Backup, folder: string): Promise<number> {
    try {
      await unpack(ring.archiveOf(backup.backup_id), folder)
      await using opened = await openPglite({ dataDir: join(folder, DATABASE_PART) })
      return (await countStore(opened.reader)).fences
    } catch (error) {
      throw backupFault(error)
    }
  }

  async function run(backupId: string, call: RestoreCall): Promise<Restored> {
    const { location } = store.store()
    if (!store.replace) throw new LoomError('UNAVAILABLE', 'This host cannot replace its store while it runs.')
    const backup = await findRestorable(ring, backupId)
    const folder = unpackedOf(location, backupId)
    try {
      const fences = await unpacked(backup, folder)
      const safety = await make('before_restore', backup.label)
      if (objects !== null) await addObjects(join(folder, OBJECTS_PART), objects)
      const database = await store.replace(
        () => putInPlace(join(folder, DATABASE_PART), location),
        () => takeBack(location),
      )
      await dropOld(location)
      const now = await countStore(database.reader)
      const subject = `backup:-/-/-/${backupId}`
      const { actor, requestId } = call
      await database.transaction(async (tx) => {
        // Who follows a server's changes by their number must not take numbers given anew for the ones they know.
        await renewInstance(tx)
        await writeAudit(tx, [{ op: 'backup.restore', at: new Date(), org, actor, requestId, subject, namespace: '' }])
      })
      const done = { safetyBackupId: safety.backup_id, fencesApplied: now.fences - fences, rows: now.rows }
      if (call.idempotencyKey !== undefined) last = { key: call.idempotencyKey, backupId, done }
      return done
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  return {
    run,
    repeated: (backupId, call) => (last !== null && call.idempotencyKey === last.key && backupId === last.backupId ? last.done : null),
  }
}
