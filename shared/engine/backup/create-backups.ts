import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Backup, BackupKind } from '../../contract/backup.ts'
import { LoomError } from '../../contract/errors.ts'
import { LOOM_VERSION } from '../../contract/version.ts'
import type { Clock } from '../clock.ts'
import { Mutex } from '../db/mutex.ts'
import type { OpenStore } from '../db/pglite.ts'
import { copyStore, DATABASE_PART } from './copy-store.ts'
import { lookInside } from './look-inside.ts'
import { pack } from './pack.ts'
import { backupSteps } from './backup-steps.ts'
import type { Backups, BackupWatch } from './port.ts'
import { createRestore, type StoreHost } from './restore.ts'
import { openRing, type Ring } from './ring.ts'

export interface BackupOptions {
  /** Folder of the ring, outside that of the database. */
  readonly folder: string
  /** Folder of the originals of documents. */
  readonly objects: string | null
  /** Org in whose audit log a restore stands. */
  readonly org: string
  readonly clock: Clock
  /** How many backups are kept, of all kinds. */
  readonly keep: () => number
  /** Hours between two that are made without being asked for; 0 makes none. */
  readonly autoHours: () => number
  /** Deletes other copies of the store that the host keeps, when a purge deletes the backups. */
  readonly purgeCopies?: () => Promise<void>
  /** The store, and how it is replaced; a host that cannot replace it gives no `replace`. */
  readonly store: StoreHost
}

const HOUR_MS = 3_600_000

/** The ring of backups of a PGlite. What a killed process left unfinished is removed first. */
export async function openBackups(options: BackupOptions): Promise<Backups> {
  const ring = openRing(options.folder)
  await ring.tidy()
  const turn = new Mutex()
  let busy: 'backup' | 'restore' | null = null

  /** @throws LoomError IN_PROGRESS while another one runs */
  async function alone<T>(what: 'backup' | 'restore', work: () => Promise<T>): Promise<T> {
    if (busy !== null) throw new LoomError('IN_PROGRESS', `A ${busy} is running. Try again when it has ended.`, { retry_after_s: 5 })
    busy = what
    const release = await turn.acquire()
    try {
      return await work()
    } finally {
      busy = null
      release()
    }
  }

  const make = (kind: BackupKind, label: string, watch?: BackupWatch): Promise<Backup> =>
    makeBackup(ring, options, options.store.store(), kind, label, watch)
  const restore = createRestore({ ring, org: options.org, objects: options.objects, store: options.store, make })

  return {
    list: () => ring.list(),
    create: (kind, label, watch) =>
      alone('backup', async () => {
        const made = await make(kind, label, watch)
        await ring.prune(options.keep())
        return made
      }),
    restore(backupId, call) {
      const before = restore.repeated(backupId, call)
      if (before) return Promise.resolve(before)
      return alone('restore', async () => {
        const done = await restore.run(backupId, call)
        await ring.prune(options.keep())
        return done
      })
    },
    async nextDue() {
      const hours = options.autoHours()
      if (hours === 0) return null
      const [newest] = await ring.times()
      return new Date((newest?.getTime() ?? options.store.madeAt()) + hours * HOUR_MS)
    },
    async count(before) {
      const times = await ring.times()
      return before === undefined ? times.length : times.filter((at) => at < before).length
    },
    async purge() {
      // A restore ends the engine that asks: waiting for it would never end.
      if (busy === 'restore') throw new LoomError('UNAVAILABLE', 'A backup is being restored. It is tried again.', { retry_after_s: 5 })
      const release = await turn.acquire()
      busy = 'backup'
      try {
        const removed = await ring.prune(0)
        await options.purgeCopies?.()
        return { removed, made: await make('auto', 'after a purge') }
      } finally {
        busy = null
        release()
      }
    },
  }
}

/** Short enough to be read off a table and typed; grows with time. */
function newBackupId(now: number): string {
  return `bk_${now.toString(36)}-${randomInt(36 ** 6)
    .toString(36)
    .padStart(6, '0')}`
}

/**
 * Makes one backup of an open store: copied while its connection is held, opened and read, packed, and made part of the
 * ring in one step. Killed or failing at any point, the ring is as before.
 */
export async function makeBackup(
  ring: Ring,
  { objects, clock }: Pick<BackupOptions, 'objects' | 'clock'>,
  store: OpenStore,
  kind: BackupKind,
  label: string,
  watch: BackupWatch = {},
): Promise<Backup> {
  const backup_id = newBackupId(clock())
  const draft = ring.draftOf(backup_id)
  const archive = ring.draftArchiveOf(backup_id)
  try {
    const created_at = new Date(clock()).toISOString()
    const steps = backupSteps(watch)
    await copyStore(store, draft, objects, steps.copied)
    steps.checking()
    const inside = await lookInside(join(draft, DATABASE_PART))
    const packed = await pack(draft, archive, steps.packed)
    steps.goOn()
    const made = {
      backup_id,
      created_at,
      label,
      kind,
      ...packed,
      app_version: LOOM_VERSION,
      schema_version: inside.schemaVersion,
      erasure_seq: inside.erasureSeq,
    }
    await ring.add(made)
    return { ...made, damaged: false }
  } finally {
    await rm(archive, { force: true })
    await rm(draft, { recursive: true, force: true })
  }
}
