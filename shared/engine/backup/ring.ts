import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Backup } from '../../contract/backup.ts'
import { syncNames } from '../db/disk-sync.ts'
import { writeWhole } from '../db/whole-file.ts'
import { hashFile } from './pack.ts'

/** Suffix of what is being made: never part of the ring, and removed at a start. */
const DRAFT = '.new'
const MANIFEST = '.json'
const ARCHIVE = '.tar.gz'
const ID = /^bk_[0-9a-z]+-[0-9a-z]{6}$/

/** The files of the backups of one data folder: an archive each, and a manifest, which is written last and makes it one. */
export interface Ring {
  /** Newest first. */
  list(): Promise<Backup[]>
  /** Times of the manifests, newest first, without reading an archive. */
  times(): Promise<Date[]>
  archiveOf(backupId: string): string
  /** A place for a folder that is worked in; removed at the next start. */
  draftOf(backupId: string): string
  /** Makes a backup of an archive that lies at `archiveOf` with the suffix of a draft. */
  add(backup: Omit<Backup, 'damaged'>): Promise<void>
  draftArchiveOf(backupId: string): string
  /** Removes all but the newest `keep`. Answers how many went. */
  prune(keep: number): Promise<number>
  /** Removes what a killed process left unfinished. */
  tidy(): Promise<void>
}

export function openRing(folder: string): Ring {
  /** Archives that were read and found whole, as they were then. */
  const read = new Map<string, { readonly mtimeMs: number; readonly size: number; readonly sha256: string }>()
  const archiveOf = (id: string): string => join(folder, `${id}${ARCHIVE}`)
  const manifestOf = (id: string): string => join(folder, `${id}${MANIFEST}`)
  const draftOf = (id: string): string => join(folder, `${id}${DRAFT}`)
  const draftArchiveOf = (id: string): string => join(folder, `${id}${ARCHIVE}${DRAFT}`)

  async function ids(): Promise<string[]> {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    return names
      .filter((name) => name.endsWith(MANIFEST) && ID.test(name.slice(0, -MANIFEST.length)))
      .map((name) => name.slice(0, -MANIFEST.length))
  }

  async function isWhole({ backup_id, bytes, sha256 }: Backup): Promise<boolean> {
    const path = archiveOf(backup_id)
    const found = await stat(path).catch(() => null)
    if (found === null || found.size !== bytes) return false
    const known = read.get(backup_id)
    if (known?.mtimeMs !== found.mtimeMs || known.size !== found.size)
      read.set(backup_id, { mtimeMs: found.mtimeMs, size: found.size, sha256: await hashFile(path) })
    return read.get(backup_id)?.sha256 === sha256
  }

  /** A manifest that cannot be read still stands for an archive that is there. */
  async function readManifest(id: string): Promise<Backup> {
    try {
      const backup = Backup.parse(JSON.parse(await readFile(manifestOf(id), 'utf8')))
      return { ...backup, damaged: backup.backup_id !== id || !(await isWhole(backup)) }
    } catch {
      const found = await stat(archiveOf(id)).catch(() => stat(manifestOf(id)))
      return {
        backup_id: id,
        created_at: found.mtime.toISOString(),
        label: '',
        kind: 'manual',
        bytes: found.size,
        sha256: '',
        app_version: '',
        schema_version: 0,
        erasure_seq: 0,
        damaged: true,
      }
    }
  }

  async function list(): Promise<Backup[]> {
    const found: Backup[] = []
    for (const id of await ids()) found.push(await readManifest(id))
    // Ids grow with time, and tell two of one millisecond apart.
    return found.toSorted((a, b) =>
      a.created_at === b.created_at ? (a.backup_id < b.backup_id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1,
    )
  }

  return {
    list,
    async times() {
      const found: Date[] = []
      for (const id of await ids()) {
        const text = await readFile(manifestOf(id), 'utf8').catch(() => '')
        const at = /"created_at":\s*"([^"]+)"/.exec(text)?.[1]
        found.push(at === undefined || Number.isNaN(Date.parse(at)) ? new Date(0) : new Date(at))
      }
      return found.toSorted((a, b) => b.getTime() - a.getTime())
    },
    archiveOf,
    draftOf,
    draftArchiveOf,
    async add(backup) {
      const { backup_id } = backup
      await rename(draftArchiveOf(backup_id), archiveOf(backup_id))
      await writeWhole(manifestOf(backup_id), `${JSON.stringify({ ...backup, damaged: false })}\n`)
    },
    async prune(keep) {
      const old = (await list()).slice(keep)
      for (const { backup_id } of old) {
        await rm(manifestOf(backup_id), { force: true })
        await rm(archiveOf(backup_id), { force: true })
      }
      await syncNames(folder).catch(() => {})
      return old.length
    },
    async tidy() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const names = await readdir(folder)
      for (const name of names) {
        const isOrphan = name.endsWith(ARCHIVE) && !names.includes(`${name.slice(0, -ARCHIVE.length)}${MANIFEST}`)
        if (name.endsWith(DRAFT) || isOrphan) await rm(join(folder, name), { recursive: true, force: true })
      }
    },
  }
}
