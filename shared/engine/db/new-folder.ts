import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { eachOf, entriesOf, syncNames, syncTree } from './disk-sync.ts'

/**
 * Makes a folder in one step: `fill` fills one beside it, which is put in place when everything in it is on disk. A
 * process killed or a machine that loses power in between leaves no half folder. Of several at once one wins.
 */
export async function makeWhole(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.new-${randomUUID()}`
  try {
    await mkdir(draft, { recursive: true, mode: 0o700 })
    await fill(draft)
    await syncTree(draft)
    await rename(draft, folder)
    await syncNames(dirname(folder))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * Removes what makers of a folder left that were killed before it was whole. Only for whoever holds the lock of the
 * folder around it.
 */
export async function removeDrafts(folder: string): Promise<void> {
  const around = dirname(folder)
  const names = await readdir(around).catch(() => [])
  for (const name of names) if (name.startsWith(`${basename(folder)}.new-`)) await rm(join(around, name), { recursive: true, force: true })
}

/** Bytes of all files in a folder; 0 where there is none. */
export async function bytesIn(folder: string): Promise<number> {
  if (!existsSync(folder)) return 0
  let bytes = 0
  const { files } = await entriesOf(folder)
  await eachOf(files, async (file) => {
    // One that goes meanwhile counts for nothing.
    bytes += (await stat(join(folder, file)).catch(() => ({ size: 0 }))).size
  })
  return bytes
}

/**
 * Copies what is in a folder, sharing blocks where the file system can.
 * @param copied told of the bytes of each file that is there; ends the copying by throwing
 */
export async function copyInto(from: string, to: string, copied?: (bytes: number) => void): Promise<void> {
  const { folders, files } = await entriesOf(from)
  for (const folder of folders) await mkdir(join(to, folder), { recursive: true, mode: 0o700 })
  await eachOf(files, async (file) => {
    await copyFile(join(from, file), join(to, file), constants.COPYFILE_FICLONE)
    if (copied) copied((await stat(join(to, file))).size)
  })
}
