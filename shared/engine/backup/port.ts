import type { Backup, BackupKind } from '../../contract/backup.ts'
import type { BackupProgress } from '../../contract/ops/backup/create.ts'

/** What a restore did. */
export interface Restored {
  /** The backup of what was there before. */
  readonly safetyBackupId: string
  /** Erasures that the backup did not know of, carried out anew. */
  readonly fencesApplied: number
  /** Memories that are there now. */
  readonly rows: number
}

/** Whoever asks for a restore, for the audit row that it leaves in the restored store. */
export interface RestoreCall {
  readonly actor: string
  readonly requestId: string
  readonly idempotencyKey?: string
}

/** Whoever waits for a backup: is told how far it is, and can end it. */
export interface BackupWatch {
  readonly tell?: (told: BackupProgress) => void
  readonly signal?: AbortSignal | undefined
}

/** The ring of backups of a data folder. */
export interface Backups {
  /** Newest first. Reads every file that it has not read since it was written: a changed byte makes one `damaged`. */
  list(): Promise<Backup[]>
  /**
   * Copies the store as it is at one moment, opens the copy, packs it, and only then lets the oldest go.
   * @throws LoomError IN_PROGRESS while a backup or restore runs; STORAGE_FULL (through the pipeline), or CANCELLED, the ring as before
   */
  create(kind: BackupKind, label: string, watch?: BackupWatch): Promise<Backup>
  /**
   * Puts a backup in the place of the store, which is backed up first. Calls are refused meanwhile; the engine is another
   * one afterwards.
   * @throws LoomError NOT_FOUND, IN_PROGRESS, INVALID_ARGUMENT (damaged, or of a newer Loom); what was there stays
   */
  restore(backupId: string, call: RestoreCall): Promise<Restored>
  /** When the next backup is due by itself; null: never. */
  nextDue(): Promise<Date | null>
  /** How many there are, or were made before a moment; reads no archive. */
  count(before?: Date): Promise<number>
  /** Deletes every backup and makes one of the store as it is now: after a purge the old ones hold what is gone. */
  purge(): Promise<{ readonly removed: number; readonly made: Backup }>
}
