import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Files in flight at once: their syncs share commits of the file system's journal. */
const AT_ONCE = 16

interface Entries {
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

async function entriesOf(folder: string): Promise<Entries> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = (wanted: boolean): string[] =>
    entries.filter((entry) => entry.isDirectory() === wanted).map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  return { folders: paths(true), files: paths(false) }
}

async function eachOf(paths: readonly string[], work: (path: string) => Promise<void>): Promise<void> {
  const waiting = paths[Symbol.iterator]()
  const drain = async (): Promise<void> => {
    for (const path of waiting) await work(path)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, drain))
}

async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** So that names last as well as contents. Windows opens no folder, and needs none of this. */
async function syncFolderNames(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Makes a folder in one step: `fill` fills one beside it, which is put in place when everything in it is on disk. A
 * process killed or a machine that loses power in between leaves no half folder. Of several at once one wins.
 */
export async function makeWhole(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.new-${randomUUID()}`
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 })
    await fill(draft)
    const { folders, files } = await entriesOf(draft)
    await eachOf(files, (file) => syncToDisk(join(draft, file)))
    await eachOf(['', ...folders], (path) => syncFolderNames(join(draft, path)))
    await rename(draft, folder)
    await syncFolderNames(join(folder, '..'))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Copies what is in a folder, sharing blocks where the file system can. */
export async function copyInto(from: string, to: string): Promise<void> {
  const { folders, files } = await entriesOf(from)
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true, mode: 0o700 })
  await eachOf(files, (file) => copyFile(join(from, file), join(to, file), constants.COPYFILE_FICLONE))
}
