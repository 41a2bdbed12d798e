import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { copyInto } from '../db/new-folder.ts'
import { syncNames } from '../db/disk-sync.ts'

const oldOf = (dataDir: string): string => `${dataDir}.old`

/** Puts the folder of another database in the place of a closed one, which is set aside. */
export async function putInPlace(fresh: string, dataDir: string): Promise<void> {
  await rename(dataDir, oldOf(dataDir))
  await rename(fresh, dataDir)
  await syncNames(dirname(dataDir))
}

/** Undoes `putInPlace`: the folder that was set aside is the database again. */
export async function takeBack(dataDir: string): Promise<void> {
  if (!existsSync(oldOf(dataDir))) return
  // Out of the way in one step: half of a folder must never look like a database.
  if (existsSync(dataDir)) await rename(dataDir, unpackedOf(dataDir, 'refused'))
  await rename(oldOf(dataDir), dataDir)
  await syncNames(dirname(dataDir))
  await removeUnpacked(dataDir)
}

/** The one that was set aside is not needed any more. */
export async function dropOld(dataDir: string): Promise<void> {
  await rm(oldOf(dataDir), { recursive: true, force: true })
}

/**
 * Ends what a process was killed in: what was being unpacked goes; without a database in its place the one set aside comes
 * back, with one it goes. Only for whoever holds the lock of the folder around it, before the database is opened; never
 * within a swap, which may still want the old one back.
 */
export async function finishSwap(dataDir: string): Promise<void> {
  await removeUnpacked(dataDir)
  if (!existsSync(oldOf(dataDir))) return
  if (existsSync(join(dataDir, 'PG_VERSION'))) await dropOld(dataDir)
  else await takeBack(dataDir)
}

/** Adds the originals of documents that a backup has and the folder lacks; an original never changes under its name. */
export async function addObjects(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return
  await mkdir(to, { recursive: true, mode: 0o700 })
  await copyInto(from, to)
}

/** Removes folders beside a database that hold what is being unpacked. */
async function removeUnpacked(dataDir: string): Promise<void> {
  const around = dirname(dataDir)
  for (const name of await readdir(around).catch(() => []))
    if (name.startsWith(`${basename(dataDir)}.unpacked-`)) await rm(join(around, name), { recursive: true, force: true })
}

export const unpackedOf = (dataDir: string, backupId: string): string => `${dataDir}.unpacked-${backupId}`
